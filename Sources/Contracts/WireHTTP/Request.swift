/// An incoming request as passed to its handler.
package struct Request: Sendable {
    /// The request line and header fields; shared, so that copies of a request are cheap.
    private let head: Head
    /// The whole body, where the route collects it.
    package var body: [UInt8] = []
    /// The values of the path parameters, by name.
    package var parameters: [(name: String, value: String)] = []

    /// The rights of the caller, set by the access control.
    package var rights = Rights.none

    package init(method: Method, target: Target, fields: Fields, caller: Caller) {
        head = Head(method: method, target: target, fields: fields, caller: caller)
    }

    package var method: Method { head.method }
    package var target: Target { head.target }
    package var fields: Fields { head.fields }
    package var caller: Caller { head.caller }

    private final class Head: Sendable {
        let method: Method
        let target: Target
        let fields: Fields
        let caller: Caller

        init(method: Method, target: Target, fields: Fields, caller: Caller) {
            self.method = method
            self.target = target
            self.fields = fields
            self.caller = caller
        }
    }

    /// The value of a path parameter; empty for an unknown name.
    package subscript(parameter name: String) -> String {
        parameters.first { $0.name == name }?.value ?? ""
    }

    /// The first value of a query item.
    package func query(_ name: String) -> String? {
        target.query.first { $0.name == name }?.value
    }
}

/// The peer of a connection, as far as the system knows it.
package enum Caller: Sendable, Hashable {
    /// The peer of a Unix socket, by its kernel credentials.
    case process(user: UInt32, group: UInt32, id: Int32)
    /// The address of a TCP peer.
    case address(String)
}
