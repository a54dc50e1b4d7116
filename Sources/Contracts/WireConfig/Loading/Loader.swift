package import WireBase

/// A way to write trees as text.
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

/// A foreign way to lay out the same model.
package struct Dialect: Sendable {
    package let name: String
    package let recognizes: @Sendable (Document, _ root: NodeID) -> Bool
    /// The tree in the model's own layout, made of nodes that keep their places.
    package let translate: @Sendable (inout Document, _ root: NodeID, inout Problems) -> NodeID
    /// What the dialect calls a setting of the model, by its path; nil where it has no word for it.
    package let spelling: @Sendable (_ path: [String]) -> Spelling?

    /// The schema of its own keys, for editors; nil where there is none.
    package let schema: Schema?

    /// The keys at the top of a file of the dialect.
    package struct Schema: Sendable {
        /// The key by which a file is known to be one.
        package let sign: String
        package let properties: [(key: String, value: JSONValue)]

        package init(sign: String, properties: [(key: String, value: JSONValue)]) {
            (self.sign, self.properties) = (sign, properties)
        }
    }

    /// A key of the dialect.
    package struct Spelling: Sendable {
        package let key: String
        /// Where it stands, as a sentence goes on: `in 'config' of the service`.
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
        schema: Schema? = nil
    ) {
        self.name = name
        self.recognizes = recognizes
        self.translate = translate
        self.spelling = spelling
        self.schema = schema
    }
}

/// Brings a services file and all it includes into one layered tree.
package struct Loader: Sendable {
    /// Gives the bytes of a file, up to a limit.
    ///
    /// What a file includes must be a file indeed: a pipe would wait for ever.
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

    /// A value laid over the file from the command line.
    package struct Override: Sendable {
        /// The option it was given with, for messages.
        package let option: String
        /// `path=value`, as typed.
        package let text: String

        package init(option: String, text: String) {
            self.option = option
            self.text = text
        }
    }

    /// What came of loading: the file, unless there is nothing to go on with, and the problems met on the way.
    package struct Loaded: Sendable {
        package let file: LayeredFile?
        package let problems: Problems
        /// Every text that was read, in the order of reading, for those who show places.
        package let sources: [SourceFile]
        package let dialect: String?
        /// How each of them spells its settings.
        package let syntaxes: FileSyntaxes
    }

    /// Reads a file by its path.
    package func load(path: String, overrides: [Override] = []) throws(Fault) -> Loaded {
        let bytes = try readFile(path, limits.fileSize, false)
        return load(bytes: bytes, name: path, overrides: overrides)
    }

    /// Reads a file whose bytes are at hand; includes are found relative to its name.
    package func load(bytes: [UInt8], name: String, isFile: Bool = true, overrides: [Override] = []) -> Loaded {
        var loading = Loading(loader: self)
        return loading.run(bytes, name, isFile: isFile, overrides: overrides)
    }

    func format(for name: String, _ bytes: [UInt8]) -> FileFormat? {
        let ending = name.split(separator: "/").last.flatMap { $0.split(separator: ".").dropFirst().last }?.lowercased()
        if let ending, let format = formats.first(where: { $0.extensions.contains(ending) }) { return format }
        // Text without a telling name: JSON where it begins like an object of JSON, the first format otherwise.
        let start = bytes.drop { $0 == 0x20 || $0 == 0x0a || $0 == 0x0d || $0 == 0x09 }
        let looksLikeJSON =
            start.first == UInt8(ascii: "{")
            && start.dropFirst().first { $0 != 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 } == UInt8(ascii: "\"")
        return looksLikeJSON ? formats.first { $0.name == "json" } : formats.first
    }
}
