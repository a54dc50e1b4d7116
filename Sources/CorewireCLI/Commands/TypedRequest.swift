import WireBase
import WireConfig
import WireHTTP

/// A request of the command line.
struct TypedRequest {
    let method: Method
    /// The path in the local API.
    let target: String
    private(set) var fields: Fields
    private(set) var body: [UInt8]?

    private static let largest = ByteCount.mebibytes(64)
    /// Fields that follow from the request or the file.
    private static let taken: [String: String] = [
        "authorization": "choose a token with --token",
        "cookie": "cookies are not supported",
        "host": "the base URL determines the host",
        "content-length": "the body determines the length",
        "transfer-encoding": "the body determines the coding",
        "connection": "corewire manages the connection",
    ]

    init(_ invocation: Invocation) throws {
        let data = invocation.option("data")
        method = try Self.method(invocation, hasBody: data != nil)
        target = try Self.target(invocation)
        fields = try Self.fields(invocation)
        if let data {
            body = try Self.bytes(of: data)
            if fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
        }
    }

    // MARK: Target

    private static func method(_ invocation: Invocation, hasBody: Bool) throws -> Method {
        let position = invocation.arguments.count > 1 ? invocation.argument(0) : nil
        if let position, let option = invocation.option("method"), position != option {
            throw UsageError(
                "expected one method, found \(position.quoted) and \(option.quoted)",
                for: invocation.path
            )
        }
        guard let name = position ?? invocation.option("method") else { return hasBody ? .post : .get }
        let known: [Method] = [.get, .head, .options, .post, .put, .patch, .delete]
        guard let method = known.first(where: { $0.name == name.uppercased() }) else {
            throw UsageError(
                "unknown method \(name.quoted), expected \(known.map(\.name).listed())",
                for: invocation.path
            )
        }
        return method
    }

    private static func target(_ invocation: Invocation) throws -> String {
        let path = invocation.arguments.last ?? ""
        guard !path.contains("://") else {
            throw UsageError(
                "expected a path below the base URL of the environment, not a URL: \(path.shown(upTo: 80).quoted)",
                for: invocation.path
            )
        }
        guard !path.utf8.contains(UInt8(ascii: "#")) else {
            throw UsageError("the path has a fragment, which is never sent; write '#' as %23", for: invocation.path)
        }
        guard AddressTerms.endpoint.slip(in: path, expected: "") == nil else {
            throw UsageError(
                "expected a path below the base URL of the environment: \(path.shown(upTo: 80).quoted) looks like a URL "
                    + "or a host; write './' before such a path",
                for: invocation.path
            )
        }
        let plain = path.hasPrefix("./") ? path.dropFirst(2) : path[...]
        guard !plain.prefix(while: { $0 != "?" }).split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else {
            throw UsageError(
                "the path is below the base URL of the environment, expected no segments '.' and '..': "
                    + path.shown(upTo: 80).quoted,
                for: invocation.path
            )
        }
        return "/v1/network/" + encoded(plain.drop { $0 == "/" })
    }

    /// Percent-encodes invalid characters; encoded ones stay.
    private static func encoded(_ text: Substring) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
                UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                encoded += "%" + Hexadecimal.text(of: [byte]).uppercased()
            case 0x21...0x7e: encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + Hexadecimal.text(of: [byte]).uppercased()
            }
        }
        return encoded
    }

    // MARK: Body and fields

    private static func fields(_ invocation: Invocation) throws -> Fields {
        var fields = Fields()
        for line in invocation.all("header") { try add(line, to: &fields, invocation) }
        if let type = invocation.option("type") {
            guard fields["Content-Type"] == nil else {
                throw UsageError("--type and --header both set the type of the body", for: invocation.path)
            }
            fields["Content-Type"] = type
        }
        for field in try RequestCommand.words.input(invocation).headerFields.all { fields[field.name] = field.value }
        return fields
    }

    private static func add(_ line: String, to fields: inout Fields, _ invocation: Invocation) throws {
        guard let colon = line.firstIndex(of: ":"), let name = try? HeaderName(parsing: String(line[..<colon])) else {
            throw UsageError(
                "--header takes a field such as 'Accept: text/csv', not \(line.shown(upTo: 40).quoted)",
                for: invocation.path
            )
        }
        if let reason = taken[name.text.lowercased()] {
            throw UsageError("--header cannot set \(name.text.quoted): \(reason)", for: invocation.path)
        }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
            throw UsageError("the value of \(name.text.quoted) contains a control character", for: invocation.path)
        }
        fields.add(name.text, String(value))
    }

    private static func bytes(of data: String) throws -> [UInt8] {
        let path = data == "-" ? "-" : data.hasPrefix("@") ? String(data.dropFirst()) : nil
        guard let path else { return Array(data.utf8) }
        do throws(Fault) {
            return try Files.read(path, upTo: largest)
        } catch {
            let name = path == "-" ? "standard input" : path.quoted
            throw Failure(
                message: "cannot read \(name): \(error.reason)",
                status: path == "-" ? .inputOutput : .noInput
            )
        }
    }
}
