import WireBase
import WireConfig
import WireHTTP

/// An error response of HALO: `{"error": {"message", "extra", "type": "HaloError"}}`.
struct HaloError: WrappingError {
    let status: Status
    let message: String
    var extra: [(key: String, value: JSONValue)] = []
    var fields: Fields = [:]

    init(_ status: Status, _ message: String, extra: [(key: String, value: JSONValue)] = []) {
        (self.status, self.message, self.extra) = (status, message, extra)
    }

    var json: JSONValue {
        .members(["message": .string(message), "extra": .object(extra), "type": .string("HaloError")])
    }

    var response: Response {
        var response = Response.json(.members(["error": json]), status: status)
        response.fields.add(fields)
        return response
    }

    /// An error that lists invalid members, each with its reason.
    static func invalid(_ flaws: [(key: String, value: String)]) -> Self {
        Self(
            .badRequest,
            "One or more fields have validation problems",
            extra: flaws.map { ($0.key, .string($0.value)) }
        )
    }

    static func invalid(_ member: String, _ flaw: String) -> Self { invalid([(member, flaw)]) }

    static func missing(_ what: String, _ id: String) -> Self {
        Self(.notFound, "\(what) not found", extra: [("id", .string(id.shown(upTo: 80)))])
    }

    /// An error for a body that is not as expected, with the place in it.
    init(_ problem: Problem) {
        guard problem.kind == "invalid-body" || problem.kind == "invalid-query" else {
            self.init(problem.status, problem.title, extra: [("detail", .string(problem.detail))])
            return
        }
        let pointer = problem.spot?.pointer ?? ""
        let member = pointer.split(separator: "/").joined(separator: ".")
        // Unknown members have their own code in HALO.
        let isUnknown = problem.detail.hasPrefix("unknown member")
        self = .invalid(member.isEmpty ? "body" : member, isUnknown ? "undefined_attribute" : problem.detail)
    }

    static let unauthorized: Self = {
        var error = Self(.unauthorized, "Unauthorized")
        error.fields.add("WWW-Authenticate", "Bearer realm=\"corewire\"")
        return error
    }()

    static let full = Self(.insufficientStorage, "The server's storage is full")
}
