import WireBase
package import WireConfig
package import WireHTTP

/// A complete response of the runner.
package struct RunnerAnswer: Sendable {
    package let status: Status
    package let fields: Fields
    package let bytes: [UInt8]
    package let socket: FoundSocket

    package init(status: Status, fields: Fields, bytes: [UInt8], socket: FoundSocket) {
        (self.status, self.fields, self.bytes, self.socket) = (status, fields, bytes, socket)
    }

    /// The response, or an error of the given kinds or of any operation.
    package func wellDone<Kind: FailureKind>(_ kinds: Kind.Type) throws -> Self {
        guard status.code >= 300 else { return self }
        throw RunnerRefusal(try json(), status, among: kinds)
    }

    /// The body as JSON.
    package func json() throws -> JSONValue {
        let isJSON =
            fields["Content-Type"].flatMap(MediaType.init(parsing:))?.isCovered(by: "application/json") ?? false
        guard isJSON, let json = try? JSONValue(parsing: bytes, named: "answer"), json.members != nil else {
            throw Failure.foreign(socket)
        }
        return json
    }

    /// The decoded body; unknown members are ignored.
    package func value<Value: APIAnswer>(_ type: Value.Type = Value.self) throws -> Value {
        do throws(JSONMismatch) {
            return try Value.read(answer: bytes)
        } catch {
            throw Failure(
                message: "cannot read the response of the runner at \(socket.path.quoted): "
                    + "\(error.pointer.isEmpty ? "" : "\(error.pointer): ")\(error.detail)",
                status: .protocolError,
                help: "the runner may have another version than this program; run 'corewire status'"
            )
        }
    }

    /// The body as text.
    package func text() throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure.foreign(socket) }
        return text
    }
}
