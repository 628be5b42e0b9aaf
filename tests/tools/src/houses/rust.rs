//! The imports in Rust code: paths, and files that become part of the code.
//!
//! The search reads token trees instead of a syntax tree, because the arguments and bodies of macros also contain
//! imports.

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};

/// A name in scope, and the path that it stands for.
pub type Binding = (String, Vec<String>);

/// The relevant parts of a source file.
#[derive(Default)]
pub struct Source {
    /// All paths. Those in braces begin with the path before the braces.
    pub paths: Vec<Vec<String>>,
    /// The names that `use` and `extern crate` declare.
    pub bindings: Vec<Binding>,
    /// The paths before `::*`.
    pub globs: Vec<Vec<String>>,
    /// The files in `#[path]`, `include!` and the like, or `None` if the name is computed.
    pub files: Vec<Option<String>>,
    /// The names of hidden items.
    pub hidden: Vec<String>,
}

/// The keywords that precede the name of an item.
const DECLARING: [&str; 9] = ["const", "enum", "fn", "mod", "static", "struct", "trait", "type", "union"];

impl Source {
    pub fn parse(text: &str) -> Result<Self, String> {
        let tokens: TokenStream = text.parse().map_err(|why| format!("{why}"))?;
        let mut source = Source::default();
        source.scan(tokens, &[], false);
        Ok(source)
    }

    /// Records the imports in tokens. In the braces of an import, `prefix` is the path before the braces.
    fn scan(&mut self, tokens: TokenStream, prefix: &[String], is_import: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut in_import = is_import;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at = match token {
                TokenTree::Ident(name) => {
                    in_import |=
                        name == "use" || name == "crate" && at > 0 && is_word(&tokens[at - 1], "extern");
                    self.path(&tokens, at, prefix, in_import)
                }
                TokenTree::Group(group) => {
                    if group.delimiter() == Delimiter::Bracket && at > 0 && is_mark(&tokens[at - 1], '#') {
                        self.attribute(group, &tokens[at + 1..]);
                    }
                    let in_braces = in_import && group.delimiter() == Delimiter::Brace;
                    self.scan(group.stream(), &[], in_braces);
                    at + 1
                }
                _ => {
                    if !prefix.is_empty() && is_mark(token, '*') {
                        self.globs.push(prefix.to_vec());
                    }
                    in_import &= is_import || !is_mark(token, ';');
                    at + 1
                }
            };
        }
    }

    /// Records the path that begins at an index. Returns the index after the path.
    fn path(&mut self, tokens: &[TokenTree], mut at: usize, prefix: &[String], is_import: bool) -> usize {
        let mut path = prefix.to_vec();
        loop {
            match tokens.get(at) {
                Some(TokenTree::Ident(name)) => {
                    path.push(name.to_string().trim_start_matches("r#").to_owned())
                }
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    self.scan(group.stream(), &path, is_import);
                    return at + 1;
                }
                Some(token) if is_mark(token, '*') => {
                    self.globs.push(path);
                    return at + 1;
                }
                _ => break, // the type arguments of a function
            }
            at += 1;
            if !is_separator(tokens.get(at..).unwrap_or(&[])) {
                break;
            }
            at += 2;
        }
        if path.len() > 1 && path.last().is_some_and(|it| it == "self") {
            path.pop();
        }
        if is_import {
            let alias = match tokens.get(at..) {
                Some([by, TokenTree::Ident(alias), ..]) if is_word(by, "as") => Some(alias.to_string()),
                _ => path.last().cloned(),
            };
            self.bindings.extend(alias.map(|alias| (alias, path.clone())));
        }
        if let (Some(name), Some([mark, TokenTree::Group(arguments), ..])) = (path.last(), tokens.get(at..))
            && ["include", "include_str", "include_bytes"].contains(&name.as_str())
            && is_mark(mark, '!')
        {
            self.files.extend(included(arguments));
        }
        self.paths.push(path);
        at
    }

    /// Records the file in an attribute, and the names of the item that follows, if the attribute hides it.
    fn attribute(&mut self, attribute: &Group, following: &[TokenTree]) {
        let words: Vec<TokenTree> = flat(attribute.stream());
        for window in words.windows(3) {
            if let [name, equals, TokenTree::Literal(file)] = window
                && is_word(name, "path")
                && is_mark(equals, '=')
            {
                self.files.push(text_of(file));
            }
        }
        if words.windows(2).any(|it| is_word(&it[0], "doc") && is_word(&it[1], "hidden")) {
            self.hidden.extend(declared(following));
        }
    }
}

/// Returns the contents of all string literals.
pub fn strings(text: &str) -> Result<Vec<String>, String> {
    let tokens: TokenStream = text.parse().map_err(|why| format!("{why}"))?;
    let literals = flat(tokens).into_iter().filter_map(|token| match token {
        TokenTree::Literal(literal) => text_of(&literal),
        _ => None,
    });
    Ok(literals.collect())
}

/// Returns the names of the item at the beginning of the tokens.
fn declared(tokens: &[TokenTree]) -> Vec<String> {
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Ident(word) = token else { continue };
        let rest = &tokens[at + 1..];
        if word == "use" {
            let end = rest.iter().position(|it| is_mark(it, ';')).unwrap_or(rest.len());
            let mut import = Source::default();
            import.scan(tokens[at..=at + end].iter().cloned().collect(), &[], true);
            return import.bindings.into_iter().map(|(name, _)| name).filter(|name| name != "use").collect();
        }
        match rest {
            // `const fn`, and `unsafe fn` and `extern "C" fn`, which begin with words that declare nothing
            [TokenTree::Ident(name), ..]
                if DECLARING.contains(&word.to_string().as_str()) && name != "fn" && name != "unsafe" =>
            {
                return vec![name.to_string()];
            }
            [_, TokenTree::Ident(name), ..] if word == "macro_rules" => return vec![name.to_string()],
            _ => {}
        }
    }
    Vec::new()
}

/// Returns the file that the arguments of `include!` name, `Some(None)` if it is computed, and `None` for a file that the build script
/// generated.
fn included(arguments: &Group) -> Option<Option<String>> {
    let tokens: Vec<TokenTree> = flat(arguments.stream());
    match &tokens[..] {
        [TokenTree::Literal(file)] => Some(text_of(file)),
        [TokenTree::Literal(file), comma] if is_mark(comma, ',') => Some(text_of(file)),
        [concat, _, env, _, TokenTree::Literal(variable), _, TokenTree::Literal(name)]
            if is_word(concat, "concat")
                && is_word(env, "env")
                && variable.to_string() == "\"OUT_DIR\""
                && !name.to_string().contains("..") =>
        {
            None
        }
        _ => Some(None),
    }
}

/// Returns the tokens without the delimiters of groups.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut all = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => all.extend(flat(group.stream())),
            _ => all.push(token),
        }
    }
    all
}

/// Returns the contents of a string literal.
fn text_of(literal: &Literal) -> Option<String> {
    syn::parse_str::<syn::LitStr>(&literal.to_string()).ok().map(|it| it.value())
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(it) if it == word)
}

fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(it) if it.as_char() == mark)
}

fn is_separator(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [first, second, ..] if is_mark(first, ':') && is_mark(second, ':'))
}
