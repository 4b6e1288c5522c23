//! Reads modules, plugins and dependencies of a Maven pom.xml.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::MAX_ENTRIES;

/// The parts of a pom.xml that matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pom {
    pub artifact_id: Option<String>,
    pub modules: Vec<String>,
    /// The artifact ids of build plugins.
    pub plugins: Vec<String>,
    /// The artifact ids of dependencies.
    pub dependencies: Vec<String>,
}

/// Elements nested deeper than this are not looked at; a real pom stays far above.
const MAX_DEPTH: usize = 64;

/// Reads as far as the XML is well-formed.
pub fn pom(text: &str) -> Pom {
    let mut reader = Reader::from_str(text);
    let mut path: Vec<String> = Vec::new();
    let mut pom = Pom::default();
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(element) => {
                if path.len() >= MAX_DEPTH {
                    break;
                }
                path.push(element.local_name().as_ref().to_owned());
            }
            Event::End(_) => {
                path.pop();
            }
            Event::Text(value) => {
                pom.take(&path, value.trim());
            }
            Event::Eof => break,
            _ => {}
        }
    }
    pom
}

impl Pom {
    fn take(&mut self, path: &[String], value: &str) {
        if value.is_empty() {
            return;
        }
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let list = match path.as_slice() {
            ["project", "artifactId"] => {
                self.artifact_id = Some(value.to_owned());
                return;
            }
            ["project", .., "modules", "module"] | ["project", .., "subprojects", "subproject"] => {
                &mut self.modules
            }
            ["project", .., "plugins", "plugin", "artifactId"] => &mut self.plugins,
            ["project", .., "dependencies", "dependency", "artifactId"] => &mut self.dependencies,
            _ => return,
        };
        if list.len() < MAX_ENTRIES {
            list.push(value.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_modules_plugins_and_dependencies() {
        let read = pom(
            "<?xml version='1.0'?><project><parent><artifactId>up</artifactId></parent>\
             <artifactId>pump</artifactId><modules><module>core</module><module> web </module></modules>\
             <dependencies><dependency><artifactId>junit-jupiter</artifactId></dependency></dependencies>\
             <build><plugins><plugin><artifactId>spotless-maven-plugin</artifactId></plugin></plugins></build></project>",
        );
        assert_eq!(
            read,
            Pom {
                artifact_id: Some("pump".to_owned()),
                modules: vec!["core".to_owned(), "web".to_owned()],
                plugins: vec!["spotless-maven-plugin".to_owned()],
                dependencies: vec!["junit-jupiter".to_owned()],
            }
        );
    }

    #[test]
    fn broken_xml_keeps_what_came_before() {
        assert_eq!(
            pom("<project><modules><module>a</module></wrong>").modules,
            ["a"]
        );
        assert_eq!(pom("<project>".repeat(5_000).as_str()), Pom::default());
    }
}
