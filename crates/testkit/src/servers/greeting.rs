//! Asking a server for its version over the wire, without a driver.
//!
//! This is also how a start is found to be complete: a port that accepts connections may still refuse them.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use super::{Engine, ServerError};

/// Longest wait for one answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// No greeting is longer than this.
const LONGEST: usize = 64 * 1024;

/// The version that the server on `port` reports of itself.
pub(crate) fn version(engine: Engine, port: u16) -> Result<String, ServerError> {
    let wrong = |what: String| ServerError::Greeting { port, what };
    let answer = match engine {
        Engine::Postgres => connect(port).and_then(|mut stream| postgres(&mut stream)),
        Engine::MariaDb | Engine::MySql => connect(port).and_then(|mut stream| mysql(&mut stream)),
    };
    answer.map_err(|error| wrong(error.to_string()))?.map_err(wrong)
}

fn connect(port: u16) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

fn take(stream: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > LONGEST {
        return Err(io::Error::other("a message longer than any greeting"));
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn texts(bytes: &[u8]) -> Vec<String> {
    bytes.split(|byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// PostgreSQL: a start-up message is answered with parameters, among them `server_version`.
fn postgres(stream: &mut (impl Read + Write)) -> io::Result<Result<String, String>> {
    let names = b"user\0postgres\0database\0postgres\0\0";
    let mut startup = 41_u32.to_be_bytes().to_vec();
    startup.extend(196_608_u32.to_be_bytes());
    startup.extend(names);
    stream.write_all(&startup)?;
    let mut version = None;
    loop {
        let head = take(stream, 5)?;
        let (kind, length) = match head.as_slice() {
            [kind, a, b, c, d] => (*kind, u32::from_be_bytes([*a, *b, *c, *d])),
            _ => return Ok(Err("a short message".to_owned())),
        };
        let body = take(stream, usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(4))?;
        match kind {
            b'S' => {
                if let [name, value, ..] = texts(&body).as_slice()
                    && name == "server_version"
                {
                    version = Some(value.clone());
                }
            }
            b'E' => return Ok(Err(texts(&body).join(" "))),
            b'Z' => break,
            _ => {}
        }
    }
    stream.write_all(b"X\0\0\0\x04")?;
    Ok(version.ok_or_else(|| "no server_version".to_owned()))
}

/// MySQL and MariaDB: the server speaks first, a protocol number and its version.
fn mysql(stream: &mut impl Read) -> io::Result<Result<String, String>> {
    let head = take(stream, 4)?;
    let length = match head.as_slice() {
        [a, b, c, _] => u32::from_le_bytes([*a, *b, *c, 0]),
        _ => return Ok(Err("a short packet".to_owned())),
    };
    let body = take(stream, usize::try_from(length).unwrap_or(usize::MAX))?;
    Ok(match body.as_slice() {
        // MariaDB before 11 puts a version in front that old replicas accept.
        [10, rest @ ..] => {
            let version = texts(rest).into_iter().next().unwrap_or_default();
            Ok(version.strip_prefix("5.5.5-").map_or(version.clone(), str::to_owned))
        }
        [255, _, _, rest @ ..] => Err(String::from_utf8_lossy(rest).into_owned()),
        _ => Err("an unknown protocol".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    struct Fake {
        answer: Cursor<Vec<u8>>,
        sent: Vec<u8>,
    }
    impl Read for Fake {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.answer.read(buffer)
        }
    }
    impl Write for Fake {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.sent.extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn postgres_reports_its_version() {
        let answer = b"R\0\0\0\x08\0\0\0\0S\0\0\0\x1aserver_version\x0018.1 \0\0Z\0\0\0\x05I".to_vec();
        let mut fake = Fake { answer: Cursor::new(answer), sent: Vec::new() };
        assert_eq!(postgres(&mut fake).unwrap().unwrap().trim(), "18.1");
        let startup = &fake.sent[..41];
        assert_eq!(usize::from(startup[3]), startup.len());
        assert!(fake.sent.ends_with(b"X\0\0\0\x04"));
    }

    #[test]
    fn postgres_that_still_starts_is_no_greeting() {
        let answer = b"E\0\0\0\x0dC57P03\0\0\0".to_vec();
        let mut fake = Fake { answer: Cursor::new(answer), sent: Vec::new() };
        assert!(postgres(&mut fake).unwrap().unwrap_err().contains("57P03"));
    }

    #[test]
    fn mariadb_hides_behind_an_old_version() {
        let answer = b"\x19\0\0\0\x0a5.5.5-10.11.6-MariaDB\0xx".to_vec();
        assert_eq!(mysql(&mut Cursor::new(answer)).unwrap().unwrap(), "10.11.6-MariaDB");
    }

    #[test]
    fn mysql_errors_are_no_greeting() {
        let answer = b"\x0b\0\0\0\xff\x69\x04blocked!".to_vec();
        assert_eq!(mysql(&mut Cursor::new(answer)).unwrap().unwrap_err(), "blocked!");
    }
}
