/// A request, as its handler sees it.
package struct Request: Sendable {
    /// What came; shared, since a request is handed from one to the next many times.
    private let head: Head
    /// The whole body, where the route asked for it to be collected.
    package var body: [UInt8] = []
    /// The values of the route's placeholders, by name.
    package var parameters: [(name: String, value: String)] = []

    /// What the caller may do, once somebody has looked.
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

    /// The value a placeholder of the route stands for; empty for a name the route does not have.
    package subscript(parameter name: String) -> String {
        parameters.first { $0.name == name }?.value ?? ""
    }

    /// The first value of a query item.
    package func query(_ name: String) -> String? {
        target.query.first { $0.name == name }?.value
    }
}

/// Who is at the other end of a connection, as far as the system knows.
package enum Caller: Sendable, Hashable {
    /// The other end of a Unix socket, as the kernel tells it.
    case process(user: UInt32, group: UInt32, id: Int32)
    /// An address, for what comes over TCP.
    case address(String)
}
