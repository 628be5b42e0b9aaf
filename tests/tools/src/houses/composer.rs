//! Logic in the files that join houses.

use syn::{Expr, File, Item, Macro, Stmt};

/// The macros that a composer may call, without arguments.
const MACROS: [&str; 1] = ["statictramp::__panic_handler"];

/// Returns the first item of a composer that is more than a declaration, if any. A composer contains only `use`, `extern crate`, calls
/// of [`MACROS`], and `main`, whose body is a single call of a function with paths, lists and structs of paths.
pub fn logic(text: &str) -> Result<Option<String>, String> {
    let file: File = syn::parse_str(text).map_err(|why| format!("{why}"))?;
    Ok(file.items.iter().find_map(|item| match item {
        Item::Use(_) | Item::ExternCrate(_) => None,
        Item::Macro(it) if it.mac.tokens.is_empty() && MACROS.contains(&name_of(&it.mac).as_str()) => None,
        Item::Fn(it) if it.sig.ident == "main" => match &it.block.stmts[..] {
            [Stmt::Expr(body, None)] if is_plain(body) => None,
            _ => Some("main".to_owned()),
        },
        Item::Fn(it) => Some(it.sig.ident.to_string()),
        _ => Some("an item".to_owned()),
    }))
}

/// Returns the path of a called macro.
fn name_of(called: &Macro) -> String {
    let names: Vec<String> = called.path.segments.iter().map(|it| it.ident.to_string()).collect();
    names.join("::")
}

/// Returns whether an expression only calls a function, names items or combines them.
fn is_plain(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) => true,
        Expr::Reference(it) => is_plain(&it.expr),
        Expr::Array(it) => it.elems.iter().all(is_plain),
        Expr::Struct(it) => it.rest.is_none() && it.fields.iter().all(|field| is_plain(&field.expr)),
        Expr::Call(it) => is_plain(&it.func) && it.args.iter().all(is_plain),
        _ => false,
    }
}
