//! A network that fails when a test says so.

use std::net::Ipv4Addr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What becomes of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weather {
    Fair,
    /// Every connection is reset, and every new one.
    Reset,
    /// Nothing arrives any more, and nobody is told.
    Swallow,
}

/// A relay on the loopback interface to one server. Dropping it ends it and its connections.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    weather: Arc<watch::Sender<Weather>>,
    place: Arc<watch::Sender<String>>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Proxy {
    /// A relay to `place`, a host with a port. Needs a runtime with time and IO.
    ///
    /// # Errors
    /// That of the system when there is no port to listen on.
    pub async fn to(place: String) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let weather = Arc::new(watch::Sender::new(Weather::Fair));
        let place = Arc::new(watch::Sender::new(place));
        let (sender, goal) = (Arc::clone(&weather), place.subscribe());
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let place = goal.borrow().clone();
                tokio::spawn(relay(client, place, sender.subscribe()));
            }
        });
        Ok(Self { port, weather, place, accepting })
    }

    /// Where it listens, on the loopback interface.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Resets every connection, and every new one, from now on.
    pub fn reset(&self) {
        self.weather.send_replace(Weather::Reset);
    }

    /// Lets nothing through from now on, and tells nobody.
    pub fn swallow(&self) {
        self.weather.send_replace(Weather::Swallow);
    }

    /// Leads new connections to `place` from now on, and lets them through.
    pub fn move_to(&self, place: String) {
        self.place.send_replace(place);
        self.clear();
    }

    /// Lets new connections through again.
    pub fn clear(&self) {
        self.weather.send_replace(Weather::Fair);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn relay(client: TcpStream, place: String, mut weather: watch::Receiver<Weather>) {
    if *weather.borrow() == Weather::Swallow {
        return hold(client, &mut weather).await;
    }
    let Ok(server) = TcpStream::connect(&place).await else { return };
    let (client, server) = (reset_on_drop(client), reset_on_drop(server));
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let (up, down) = (weather.clone(), weather);
    tokio::join!(pass(from_client, to_server, up), pass(from_server, to_client, down));
}

/// Keeps a connection that nobody answers.
async fn hold(client: TcpStream, weather: &mut watch::Receiver<Weather>) {
    drop(weather.wait_for(|weather| *weather != Weather::Swallow).await);
    drop(client);
}

/// A connection that is dropped with bytes under way ends with a reset instead of in good order.
fn reset_on_drop(stream: TcpStream) -> TcpStream {
    // Without it the other side sees an end in good order, which is a failure as well.
    drop(stream.set_zero_linger());
    drop(stream.set_nodelay(true));
    stream
}

/// Waits until the weather is no longer fair.
async fn turned(weather: &mut watch::Receiver<Weather>) -> Weather {
    weather.wait_for(|weather| *weather != Weather::Fair).await.map_or(Weather::Reset, |now| *now)
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut weather: watch::Receiver<Weather>) {
    let mut bytes = vec![0; 1 << 14];
    loop {
        tokio::select! {
            biased;
            now = turned(&mut weather) => {
                if now != Weather::Swallow {
                    return;
                }
                // Both halves stay open and still, until the weather changes once more.
                drop(weather.wait_for(|weather| *weather != Weather::Swallow).await);
                return;
            }
            read = from.read(&mut bytes) => {
                let Ok(length @ 1..) = read else {
                    drop(to.shutdown().await);
                    return;
                };
                let Some(part) = bytes.get(..length) else { return };
                if to.write_all(part).await.is_err() {
                    return;
                }
            }
        }
    }
}
