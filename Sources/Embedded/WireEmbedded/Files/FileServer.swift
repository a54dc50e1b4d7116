import WireBase
import WireConfig
import WireHTTP

/// Serves the files of a folder and generated files of any size, with ranges and conditional requests (RFC 9110,
/// sections 8.8, 13 and 14).
struct FileServer: BuiltInServer {
    /// The folder of the files; nil where the file declares none.
    let folder: String?

    var segments: [String] { ["files"] }

    func signs(at address: String) -> [EndpointInfo] {
        [EndpointInfo(title: "Files", places: ["\(address)/files/", "\(address)/files/generated/1MiB?seed=1"])]
    }

    func exchange(for head: Request) -> Exchange {
        guard head.method == .get || head.method == .head else { return .refused(allowing: [.get, .head]) }
        let names = Array(head.target.segments.dropFirst())
        if names.isEmpty || names == [""] { return Exchange(.answer(list)) }
        do {
            guard let file = try file(names, head) else {
                return .plainly(.notFound, "file not found")
            }
            return Exchange(.answer(answer(head, file)))
        } catch let problem as Problem {
            return Exchange(.answer(problem.response))
        } catch {
            return .plainly(
                .internalError,
                "the file cannot be read: \((error as? Fault)?.reason ?? "\(error)")"
            )
        }
    }

    /// The files directly in the folder.
    private var list: Response {
        let names = folder.map { Files.names(in: $0) } ?? []
        let files = names.compactMap { name -> JSONValue? in
            guard let folder, let file = try? OpenFile([name], below: folder) else { return nil }
            return .members(["name": .string(name), "size": .integer(file.size)])
        }
        return .json(.members(["files": .array(files)])).guarded()
    }

    // MARK: Finding

    private func file(_ names: [String], _ head: Request) throws -> (any ServedFile)? {
        if names.first == "generated" { return try generated(names, head) }
        guard let folder, let file = try OpenFile(names, below: folder) else { return nil }
        return FolderFile(file: file, type: Self.type(of: names.last ?? ""))
    }

    private func generated(_ names: [String], _ head: Request) throws -> GeneratedFile? {
        guard names.count == 2 else { return nil }
        guard let size = Self.size(names[1]), size <= GeneratedFile.largest else {
            throw Problem(
                .badRequest,
                "invalid-size",
                "unexpected size",
                detail: "found \(names[1].shown(upTo: 40).quoted), expected one such as 300MiB, 1TiB at most"
            )
        }
        return GeneratedFile(size: size, seed: try head.queryInteger("seed", in: 0...Int.max) ?? 1)
    }

    /// Reads a size such as `1MiB`, or a number of bytes.
    private static func size(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), digits.count <= 15 else { return nil }
        let units = ["": 0, "B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40]
        return units[String(text.dropFirst(digits.count))].flatMap { shift in
            let size = number << shift
            return size >> shift == number ? size : nil
        }
    }

    private static func type(of name: String) -> String {
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return types[ending] ?? "application/octet-stream"
    }

    private static let types = [
        "css": "text/css", "csv": "text/csv", "gif": "image/gif", "html": "text/html; charset=utf-8",
        "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
        "md": "text/markdown; charset=utf-8", "mp3": "audio/mpeg", "mp4": "video/mp4", "pdf": "application/pdf",
        "png": "image/png", "svg": "image/svg+xml", "txt": "text/plain; charset=utf-8", "webp": "image/webp",
        "xml": "application/xml", "zip": "application/zip",
    ]

    // MARK: Answering

    private func answer(_ request: Request, _ file: any ServedFile) -> Response {
        let date = HTTPDate(milliseconds: file.modified)
        var fields: Fields = [
            "ETag": file.tag.text, "Last-Modified": date.description, "Accept-Ranges": "bytes",
            "Cache-Control": "no-cache",
        ]
        do throws(Problem) {
            let byTag = try request.precondition(file.tag)
            let byTime = try Self.precondition(request, date)
            if let known = byTag ?? byTime { return Response(known.status, fields: fields).guarded() }
        } catch {
            return error.response
        }
        let wanted = Self.holds(request.fields["If-Range"], file.tag, date) ? request.fields["Range"] : nil
        let range = request.method == .get ? ByteRange(wanted, of: file.size) : .whole
        if case .unsatisfiable = range {
            fields["Content-Range"] = "bytes */\(file.size)"
            return Response(Status(416), fields: fields).guarded()
        }
        fields["Content-Type"] = file.type
        var part = 0..<file.size
        if case .part(let asked) = range {
            part = asked
            fields["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
        }
        fields["Content-Length"] = "\(part.count)"
        return Response(range == .whole ? .ok : Status(206), fields: fields, body: Self.body(file, part)).guarded()
    }

    /// Evaluates the preconditions on time, which count only without one on a tag (RFC 9110, section 13.2.2).
    private static func precondition(_ request: Request, _ date: HTTPDate) throws(Problem) -> Response? {
        if request.fields["If-Match"] == nil, let last = request.fields["If-Unmodified-Since"],
            let last = HTTPDate(parsing: last), date.seconds > last.seconds
        {
            throw Problem(
                .preconditionFailed,
                "precondition-failed",
                "the file has changed",
                detail: "last changed at \(date)"
            )
        }
        guard request.fields["If-None-Match"] == nil, let since = request.fields["If-Modified-Since"],
            let since = HTTPDate(parsing: since), date.seconds <= since.seconds
        else { return nil }
        return Response(.notModified)
    }

    /// Whether the condition of a range holds; otherwise the response is the whole file (RFC 9110, section 13.1.5).
    private static func holds(_ condition: String?, _ tag: EntityTag, _ date: HTTPDate) -> Bool {
        guard let condition else { return true }
        if let other = EntityTag(parsing: condition) { return !other.isWeak && other == tag }
        return HTTPDate(parsing: condition).map { $0.seconds == date.seconds } ?? false
    }

    private static func body(_ file: any ServedFile, _ part: Range<Int>) -> Response.Body {
        .stream { writer in
            var offset = part.lowerBound
            while offset < part.upperBound {
                let bytes = try file.read(at: offset, upTo: min(piece, part.upperBound - offset))
                // The file has been truncated, so the promised length cannot be sent.
                guard !bytes.isEmpty else { throw Fault("the file has become shorter") }
                try await writer.write(bytes)
                offset += bytes.count
            }
        }
    }

    private static let piece = 65_536
}
