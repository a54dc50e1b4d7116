package import WireConfig

/// Resolves the values of fields.
///
/// Created for each request, so that members can hold data of the request, such as the caller.
package protocol FieldResolver: Sendable {
    /// The value of a field; nil selects the parent's member with the same name.
    ///
    /// An object is a JSON object; where the field's type is an interface or a union, its member `__typename` names the
    /// object type. A thrown `ResolverError` becomes the error of the field; details of other errors are hidden.
    func value(of call: FieldCall) async throws -> JSONValue?

    /// The events of a subscription's field; each is an object that has the field as a member.
    func events(of call: FieldCall) async throws -> AsyncThrowingStream<JSONValue, any Error>
}

extension FieldResolver {
    package func value(of call: FieldCall) async throws -> JSONValue? { nil }

    package func events(of call: FieldCall) async throws -> AsyncThrowingStream<JSONValue, any Error> {
        throw ResolverError("the field \(call.field) has no events")
    }
}

/// A field to resolve.
package struct FieldCall: Sendable {
    /// The parent object.
    package let parent: JSONValue
    /// The type of the parent object.
    package let type: String
    /// The name of the field.
    package let field: String
    /// The name of the member in the response: the alias, where there is one.
    package let responseName: String
    /// The arguments in schema order; arguments without a value and a default are omitted.
    package let arguments: JSONValue
    /// Counts the work of the whole operation.
    package let work: ResolverWork
}

/// Why a field has no value, as a message for the caller.
package struct ResolverError: Error, Sendable {
    package let message: String
    package let extensions: JSONValue?

    package init(_ message: String, extensions: JSONValue? = nil) {
        self.message = message
        self.extensions = extensions
    }
}
