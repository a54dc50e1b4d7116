#if TREES_ONLY
// The fast properties are linked without the services: the fuzzer looks at every counter after every input.
import WireConfig
import WireYAML

extension FileFormat {
    static let yaml = FileFormat("yaml", extensions: ["yaml", "yml"], read: YAMLReader.read)
}
#endif
