package import WireBase

/// A file format for trees.
package struct FileFormat: Sendable {
    package let name: String
    package let extensions: [String]
    package let read: @Sendable (inout DocumentBuilder, SourceFile) throws(Unreadable) -> Void

    package init(
        _ name: String,
        extensions: [String],
        read: @escaping @Sendable (inout DocumentBuilder, SourceFile) throws(Unreadable) -> Void
    ) {
        self.name = name
        self.extensions = extensions
        self.read = read
    }

    /// Strict JSON.
    package static let json = FileFormat("json", extensions: ["json"], read: JSONReader.read)
}

/// A foreign layout of the same model.
package struct Dialect: Sendable {
    package let name: String
    package let recognizes: @Sendable (Document, _ root: NodeID) -> Bool
    /// Translates a tree into the native layout; nodes keep their locations.
    package let translate: @Sendable (inout Document, _ root: NodeID, inout Problems) -> NodeID
    /// The dialect's name for a setting, by its path; nil where it has none.
    package let spelling: @Sendable (_ path: [String]) -> Spelling?

    /// The schema of its keys, for editors; nil where there is none.
    ///
    /// A closure, because validation does not need it.
    package let schema: @Sendable () -> Schema?

    /// The top-level keys of a dialect.
    package struct Schema: Sendable {
        /// The key that identifies a file of the dialect.
        package let sign: String
        package let properties: [(key: String, value: JSONValue)]

        package init(sign: String, properties: [(key: String, value: JSONValue)]) {
            (self.sign, self.properties) = (sign, properties)
        }
    }

    /// The spelling of a setting in the dialect.
    package struct Spelling: Sendable {
        package let key: String
        /// The location as part of a sentence: `in 'config' of the service`.
        package let place: String

        package init(_ key: String, _ place: String) {
            self.key = key
            self.place = place
        }
    }

    package init(
        _ name: String,
        recognizes: @escaping @Sendable (Document, NodeID) -> Bool,
        translate: @escaping @Sendable (inout Document, NodeID, inout Problems) -> NodeID,
        spelling: @escaping @Sendable ([String]) -> Spelling? = { _ in nil },
        schema: @autoclosure @escaping @Sendable () -> Schema? = nil
    ) {
        self.name = name
        self.recognizes = recognizes
        self.translate = translate
        self.spelling = spelling
        self.schema = schema
    }
}

/// Loads a services file with its includes into layers.
package struct Loader: Sendable {
    /// Reads the bytes of a file, up to a limit.
    ///
    /// Included files must be regular files, because a pipe could block.
    package typealias ReadFile =
        @Sendable (
            _ path: String, _ limit: ByteCount, _ isInclude: Bool
        ) throws(Fault) -> [UInt8]

    package let formats: [FileFormat]
    package let dialects: [Dialect]
    package var readFile: ReadFile
    package var limits = ReadingLimits()

    package init(
        formats: [FileFormat],
        dialects: [Dialect],
        readFile: @escaping ReadFile
    ) {
        self.formats = formats
        self.dialects = dialects
        self.readFile = readFile
    }

    /// A value given on the command line that overrides the file.
    package struct Override: Sendable {
        /// The command-line option, for messages.
        package let option: String
        /// The argument `path=value`, as typed.
        package let text: String

        package init(option: String, text: String) {
            self.option = option
            self.text = text
        }
    }

    /// The result of loading: the file, where it is usable, and the problems.
    package struct Loaded: Sendable {
        package let file: LayeredFile?
        package let problems: Problems
        /// All loaded texts in loading order, for excerpts.
        package let sources: [SourceFile]
        package let dialect: String?
        /// The syntax of each of them.
        package let syntaxes: FileSyntaxes
    }

    /// Loads a file by its path.
    package func load(path: String, overrides: [Override] = []) throws(Fault) -> Loaded {
        let bytes = try readFile(path, limits.fileSize, false)
        return load(bytes: bytes, name: path, overrides: overrides)
    }

    /// Loads a file from bytes; includes are relative to its name.
    package func load(bytes: [UInt8], name: String, isFile: Bool = true, overrides: [Override] = []) -> Loaded {
        var loading = Loading(loader: self)
        return loading.run(bytes, name, isFile: isFile, overrides: overrides)
    }

    func format(for name: String, _ bytes: [UInt8]) -> FileFormat? {
        let ending = name.split(separator: "/").last.flatMap { $0.split(separator: ".").dropFirst().last }?.lowercased()
        if let ending, let format = formats.first(where: { $0.extensions.contains(ending) }) { return format }
        // Without a known extension: JSON where the text begins with an object, otherwise the first format.
        let start = bytes.drop { $0 == 0x20 || $0 == 0x0a || $0 == 0x0d || $0 == 0x09 }
        let looksLikeJSON =
            start.first == UInt8(ascii: "{")
            && start.dropFirst().first { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 } == UInt8(ascii: "\"")
        return looksLikeJSON ? formats.first { $0.name == "json" } : formats.first
    }
}
