import CYAML

extension YAMLReader {
    /// The version of the library that reads YAML.
    package static var library: String { unsafe String(cString: yaml_get_version_string()) }
}
