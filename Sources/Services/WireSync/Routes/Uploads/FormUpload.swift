import Synchronization
import WireBase
import WireConfig
import WireGraphQL
import WireHTTP

/// A mutation with files, as the GraphQL multipart request specification has it: `operations`, `map`, and the files behind
/// them, which are passed on as they come.
final class FormUpload: Sendable {
    let boundary: String
    let request: GraphQLRequest
    /// The variables with a text in the place of each file, which a schema can judge.
    let variables: [(key: String, value: JSONValue)]
    private let map: JSONValue
    private let body: any BodyReader
    private let rules: UploadRules
    private let state: Mutex<State>
    private let length: Int?

    fileprivate struct State {
        var scanner: MultipartScanner
        /// What has been read and is not passed on yet.
        var rest: [UInt8]
        /// The names of files that are still to come.
        var awaited: Set<String>
        var size = 0
        var flaw: MalformedForm?
    }

    private static let largestMap = ByteCount.kibibytes(64)
    private static let mostPlaces = 1_000

    /// Reads the form up to its files.
    init(
        _ body: any BodyReader,
        type: MediaType?,
        length: Int?,
        _ rules: UploadRules,
        largestRequest: ByteCount
    ) async throws {
        guard let boundary = type?.parameters["boundary"], let scanner = MultipartScanner(boundary: boundary) else {
            throw MalformedForm("'Content-Type' has no valid boundary")
        }
        var head = FormHead(scanner)
        while head.next == nil {
            guard let bytes = try await body.read() else { throw MalformedForm("the form ends before its files") }
            try head.take(bytes, [("operations", largestRequest), ("map", Self.largestMap)])
        }
        let request = try Self.request(head.parts[0], upTo: largestRequest)
        let map = try Self.json(head.parts[1], "map", upTo: Self.largestMap)
        let places = try Self.places(map, rules)
        var variables = JSONValue.object(request.variables)
        for place in places.flatMap(\.places) {
            guard let filled = variables.filled(place.dropFirst()[...]) else {
                throw MalformedForm("'map': there is no null at '\(place.joined(separator: ".").shown(upTo: 100))'")
            }
            variables = filled
        }
        (self.boundary, self.request, self.map, self.body, self.rules) = (boundary, request, map, body, rules)
        self.variables = variables.members ?? []
        let next = head.next ?? 0
        self.length = length.map { $0 - next }
        var state = State(
            scanner: head.scanner,
            rest: Array(head.read.dropFirst(next)),
            awaited: Set(places.map(\.name))
        )
        try state.check(head.later, rules)
        self.state = Mutex(state)
    }

    private static func request(_ bytes: [UInt8], upTo limit: ByteCount) throws(MalformedForm) -> GraphQLRequest {
        do throws(MalformedRequest) {
            return try GraphQLRequest(reading: bytes, limits: .graphQL(upTo: limit))
        } catch {
            throw MalformedForm("'operations': \(error.reason)")
        }
    }

    private static func json(_ bytes: [UInt8], _ name: String, upTo limit: ByteCount) throws(MalformedForm) -> JSONValue
    {
        do throws(Unreadable) {
            return try JSONValue(parsing: bytes, named: name, limits: .graphQL(upTo: limit))
        } catch {
            throw MalformedForm("'\(name)' is not JSON: \(error.problem.message)")
        }
    }

    /// The places of each file in the request.
    private static func places(_ map: JSONValue, _ rules: UploadRules) throws(MalformedForm) -> [(
        name: String, places: [[String]]
    )] {
        guard let members = map.members, !members.isEmpty else {
            throw MalformedForm("'map': expected an object with the places of each file")
        }
        guard members.count <= rules.maxFiles else {
            throw MalformedForm("more than \(rules.maxFiles) files, see 'sync.uploads.maxFiles'")
        }
        var count = 0
        var all: [(name: String, places: [[String]])] = []
        for (name, value) in members {
            let paths = (value.array ?? []).map { ($0.string ?? "").split(separator: ".").map(String.init) }
            count += paths.count
            guard count <= mostPlaces, !paths.isEmpty, paths.allSatisfy({ $0.count > 1 && $0[0] == "variables" }) else {
                throw MalformedForm(
                    "'map': expected places such as 'variables.file' for \(name.shown(upTo: 64).quoted)"
                )
            }
            all.append((name, paths))
        }
        guard Set(all.map(\.name)).count == all.count else { throw MalformedForm("'map' names a file twice") }
        return all
    }

    // MARK: Passing on

    /// Why the form was not passed on whole, where that is the form's fault.
    var flaw: MalformedForm? { state.withLock { $0.flaw } }

    /// The form with another request in the place of its own, and its length where that is known.
    func body(with operations: JSONValue) -> (length: Int?, body: any BodyReader) {
        let head = [("operations", operations), ("map", map)].map { name, json in
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n"
                + "Content-Type: application/json\r\n\r\n\(json.text())\r\n"
        }
        let bytes = Array(head.joined().utf8)
        state.withLock { $0.rest = bytes + $0.rest }
        return (length.map { $0 + bytes.count }, Files(upload: self))
    }

    private struct Files: BodyReader {
        let upload: FormUpload

        func read() async throws -> [UInt8]? { try await upload.read() }
    }

    private func read() async throws -> [UInt8]? {
        let rest = state.withLock { state in
            defer { state.rest = [] }
            return state.rest
        }
        if !rest.isEmpty { return rest }
        let bytes = try await body.read()
        do throws(MalformedForm) {
            try state.withLock { state throws(MalformedForm) in
                guard let bytes else { return try state.end() }
                try state.check(try state.scanner.take(bytes), rules)
            }
        } catch {
            state.withLock { $0.flaw = error }
            throw error
        }
        return bytes
    }
}

extension FormUpload.State {
    fileprivate mutating func check(_ events: [MultipartScanner.Event], _ rules: UploadRules) throws(MalformedForm) {
        for event in events {
            switch event {
            case .part(let name):
                guard awaited.remove(name) != nil else {
                    throw MalformedForm("'map' does not name the file \(name.shown(upTo: 64).quoted)")
                }
                size = 0
            case .content(let bytes):
                size += bytes.count
                guard size <= rules.maxFileSize.bytes else {
                    throw MalformedForm("a file has more than \(rules.maxFileSize), see 'sync.uploads.maxFileSize'")
                }
            case .ended: continue
            case .finished: try end()
            }
        }
    }

    fileprivate func end() throws(MalformedForm) {
        if let name = awaited.min() { throw MalformedForm("the file \(name.shown(upTo: 64).quoted) is missing") }
        guard scanner.isFinished else { throw MalformedForm("the form ends in the middle of a file") }
    }
}

/// The beginning of a form, collected until its first parts are complete.
private struct FormHead {
    var scanner: MultipartScanner
    /// All that was read.
    var read: [UInt8] = []
    var parts: [[UInt8]] = []
    /// Where what follows the parts begins.
    var next: Int?
    /// What is known of what follows.
    var later: [MultipartScanner.Event] = []

    init(_ scanner: MultipartScanner) { self.scanner = scanner }

    mutating func take(_ bytes: [UInt8], _ wanted: [(name: String, limit: ByteCount)]) throws(MalformedForm) {
        read += bytes
        for event in try scanner.take(bytes) {
            guard next == nil else {
                later.append(event)
                continue
            }
            switch event {
            case .part(let name):
                guard name == wanted[parts.count].name else {
                    throw MalformedForm("expected the part '\(wanted[parts.count].name)' first, then the files")
                }
                parts.append([])
            case .content(let bytes):
                parts[parts.count - 1] += bytes
                guard parts[parts.count - 1].count <= wanted[parts.count - 1].limit.bytes else {
                    throw MalformedForm("'\(wanted[parts.count - 1].name)' is too long")
                }
            case .ended(let place): if parts.count == wanted.count { next = place }
            case .finished: throw MalformedForm("the form ends before its files")
            }
        }
        let most = wanted.reduce(65_536) { $0 + $1.limit.bytes }
        guard next != nil || read.count <= most else { throw MalformedForm("there is too much before the files") }
    }
}

extension JSONValue {
    /// The value with a text in the place of a null; nil where there is no null at the place.
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
