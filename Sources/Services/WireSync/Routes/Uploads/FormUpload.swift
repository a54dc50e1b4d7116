import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP

/// A mutation with files (GraphQL multipart request specification): `operations`, `map`, and the files, which are
/// streamed.
///
/// The form is encoded again for the server: one that parses the caller's form differently would find other parts than
/// were checked here.
final class FormUpload: Sendable {
    /// No file contains it, since only the server knows it.
    let boundary = "corewire-" + MutationQueue.randomText()
    let request: GraphQLRequest
    /// The variables with a text in place of each file, for validation.
    let variables: [(key: String, value: JSONValue)]
    private let map: JSONValue
    private let body: any BodyReader
    private let rules: UploadRules
    private let state: Mutex<State>

    fileprivate struct State {
        var scanner: MultipartScanner
        let boundary: String
        /// The files still to come, and their names in the new form.
        var awaited: [String: String]
        /// The bytes to send next.
        var outgoing: [UInt8] = []
        /// Whether the whole form has been read.
        var isRead = false
        var size = 0
        var flaw: Fault?
    }

    private static let largestMap = ByteCount.kibibytes(64)
    private static let mostPlaces = 1_000
    /// The size up to which a form is read before it is sent, so that its length is known; some servers require one.
    private static let readAhead = ByteCount.mebibytes(1)

    /// Reads the form up to its files.
    init(
        _ body: any BodyReader,
        type: MediaType?,
        _ rules: UploadRules,
        largestRequest: ByteCount
    ) async throws {
        guard let boundary = type?.parameters["boundary"], let scanner = MultipartScanner(boundary: boundary) else {
            throw Fault("'Content-Type' has no valid boundary")
        }
        var head = FormHead(scanner)
        while !head.isComplete {
            guard let bytes = try await body.read() else { throw Fault("the form ends before its files") }
            try head.take(bytes, [("operations", largestRequest), ("map", Self.largestMap)])
        }
        let request = try Fault.rethrowing(
            after: "'operations'",
            try GraphQLRequest(reading: head.parts[0], limits: .graphQL(upTo: largestRequest))
        )
        let map = try JSONValue(head.parts[1], of: "'map'", limits: .graphQL(upTo: Self.largestMap))
        let places = try Self.places(map, rules)
        var variables = JSONValue.object(request.variables)
        for place in places.flatMap(\.places) {
            guard let filled = variables.filled(place.dropFirst()[...]) else {
                throw Fault("'map': expected null at '\(place.joined(separator: ".").shown(upTo: 100))'")
            }
            variables = filled
        }
        (self.request, self.body, self.rules) = (request, body, rules)
        self.map = .object(
            places.enumerated().map { ("\($0)", .array($1.places.map { .string($0.joined(separator: ".")) })) }
        )
        self.variables = variables.members ?? []
        let names = places.enumerated().map { ($1.name, "\($0)") }
        var state = State(
            scanner: head.scanner,
            boundary: self.boundary,
            awaited: Dictionary(names, uniquingKeysWith: { first, _ in first })
        )
        try state.take(head.later, rules)
        self.state = Mutex(state)
    }

    /// The places of each file in the request.
    private static func places(_ map: JSONValue, _ rules: UploadRules) throws(Fault) -> [(
        name: String, places: [[String]]
    )] {
        guard let members = map.members, !members.isEmpty else {
            throw Fault("'map': expected an object with the paths of each file")
        }
        guard members.count <= rules.maxFiles else {
            throw Fault("more than \(rules.maxFiles) files, see 'sync.uploads.maxFiles'")
        }
        var count = 0
        var all: [(name: String, places: [[String]])] = []
        for (name, value) in members {
            guard !["operations", "map"].contains(name.lowercased()) else {
                throw Fault("'map': \(name.quoted) is not a valid file name")
            }
            let paths = (value.array ?? []).map { ($0.string ?? "").split(separator: ".").map(String.init) }
            count += paths.count
            guard count <= mostPlaces, !paths.isEmpty, paths.allSatisfy({ $0.count > 1 && $0[0] == "variables" }) else {
                throw Fault(
                    "'map': expected paths such as 'variables.file' for \(name.shown(upTo: 64).quoted)"
                )
            }
            all.append((name, paths))
        }
        guard Set(all.map(\.name)).count == all.count else { throw Fault("'map' names a file twice") }
        return all
    }

    // MARK: Passing on

    /// Why the form was not passed on whole, where the form is the cause.
    var flaw: Fault? { state.withLock { $0.flaw } }

    /// The form with another request, and its length where known.
    func body(with operations: JSONValue) async throws -> (length: Int?, body: any BodyReader) {
        let head = [("operations", operations), ("map", map)].map { name, json in
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n"
                + "Content-Type: application/json\r\n\r\n\(json.text())"
        }
        let bytes = Array(head.joined(separator: "\r\n").utf8)
        state.withLock { $0.outgoing = bytes + $0.outgoing }
        while state.withLock({ !$0.isRead && $0.outgoing.count < Self.readAhead.bytes }) { try await advance() }
        let length = state.withLock { $0.isRead ? $0.outgoing.count : nil }
        return (length, Files(upload: self))
    }

    private struct Files: BodyReader {
        let upload: FormUpload

        func read() async throws -> [UInt8]? { try await upload.read() }
    }

    private func read() async throws -> [UInt8]? {
        while true {
            let (bytes, isRead) = state.withLock { state in
                defer { state.outgoing = [] }
                return (state.outgoing, state.isRead)
            }
            if !bytes.isEmpty { return bytes }
            if isRead { return nil }
            try await advance()
        }
    }

    /// Encodes the next bytes of the caller's form.
    private func advance() async throws {
        let bytes = try await body.read()
        do throws(Fault) {
            try state.withLock { state throws(Fault) in
                if let bytes {
                    try state.take(try state.scanner.consume(bytes), rules)
                } else {
                    try state.checkEnd()
                    state.isRead = true
                }
            }
        } catch {
            state.withLock { $0.flaw = error }
            throw error
        }
    }
}

extension FormUpload.State {
    fileprivate mutating func take(_ events: [MultipartScanner.Event], _ rules: UploadRules) throws(Fault) {
        for event in events {
            switch event {
            case .part(let part):
                guard let name = awaited.removeValue(forKey: part.name) else {
                    throw Fault("'map' does not name the file \(part.name.shown(upTo: 64).quoted)")
                }
                outgoing += "\r\n--\(boundary)\r\n\(part.head(named: name))".utf8
                size = 0
            case .content(let bytes):
                size += bytes.count
                guard size <= rules.maxFileSize.bytes else {
                    throw Fault("a file has more than \(rules.maxFileSize), see 'sync.uploads.maxFileSize'")
                }
                outgoing += bytes
            case .ended: continue
            case .finished:
                try checkEnd()
                outgoing += "\r\n--\(boundary)--\r\n".utf8
            }
        }
    }

    fileprivate func checkEnd() throws(Fault) {
        if let name = awaited.keys.min() { throw Fault("the file \(name.shown(upTo: 64).quoted) is missing") }
        guard scanner.isFinished else { throw Fault("the form ends in the middle of a file") }
    }
}

/// The beginning of a form, collected until its first parts are complete.
private struct FormHead {
    var scanner: MultipartScanner
    private var size = 0
    var parts: [[UInt8]] = []
    var isComplete = false
    /// The events of the following parts.
    var later: [MultipartScanner.Event] = []

    init(_ scanner: MultipartScanner) { self.scanner = scanner }

    mutating func take(_ bytes: [UInt8], _ wanted: [(name: String, limit: ByteCount)]) throws(Fault) {
        size += bytes.count
        for event in try scanner.consume(bytes) {
            guard !isComplete else {
                later.append(event)
                continue
            }
            switch event {
            case .part(let part):
                guard part.name == wanted[parts.count].name else {
                    throw Fault("expected the part '\(wanted[parts.count].name)' first, then the files")
                }
                parts.append([])
            case .content(let bytes):
                parts[parts.count - 1] += bytes
                guard parts[parts.count - 1].count <= wanted[parts.count - 1].limit.bytes else {
                    throw Fault("'\(wanted[parts.count - 1].name)' is too long")
                }
            case .ended: isComplete = parts.count == wanted.count
            case .finished: throw Fault("the form ends before its files")
            }
        }
        let most = wanted.reduce(65_536) { $0 + $1.limit.bytes }
        guard isComplete || size <= most else { throw Fault("the parts before the files are too long") }
    }
}

extension JSONValue {
    /// The value with a text in place of a null; nil where there is no null at the place.
    fileprivate func filled(_ path: ArraySlice<String>) -> JSONValue? {
        guard let step = path.first, path.count < 64 else {
            if case .null = self { return .string("file") }
            return nil
        }
        switch self {
        case .object(var members):
            guard let index = members.firstIndex(where: { $0.key == step }),
                let filled = members[index].value.filled(path.dropFirst())
            else { return nil }
            members[index].value = filled
            return .object(members)
        case .array(var items):
            guard let index = Int(step), items.indices.contains(index),
                let filled = items[index].filled(path.dropFirst())
            else { return nil }
            items[index] = filled
            return .array(items)
        default: return nil
        }
    }
}
