//! `trueup inspect`

use trueup::Declared;
use trueup::load::Allowances;
use trueup::snapshot::{Document, DocumentFormat};

use crate::args::{InspectArgs, SchemaFormat};
use crate::exit::{End, Failure};
use crate::show;
use crate::target::pipeline;

pub(crate) async fn run(args: &InspectArgs) -> Result<End, Failure> {
    let mut pipeline = pipeline(&args.target, args.dev_url.as_ref())?;
    pipeline.options.allow = Allowances { do_blocks: args.allow_do };
    let inspected = if args.schema.is_empty() {
        pipeline.inspect().await?
    } else {
        pipeline.compile(&Declared::read(&args.schema)?).await?
    };
    let text = match args.format {
        SchemaFormat::Text => {
            show::print_text(&show::schema_text(&inspected))?;
            return Ok(End::Done);
        }
        SchemaFormat::Sql => inspected.sql()?,
        SchemaFormat::Json => Document::write(&inspected.document(), DocumentFormat::Json)?,
        SchemaFormat::Toml => Document::write(&inspected.document(), DocumentFormat::Toml)?,
    };
    for object in &inspected.unmanaged {
        show::say(&format!("not managed, left out: {} {}", object.kind, object.name));
    }
    show::print(&text)?;
    Ok(End::Done)
}
