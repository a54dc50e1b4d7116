package import WireConfig

/// Gives the fields of objects their values.
///
/// One is made for each request, so what belongs to the request (the caller, an idempotency key) is a member of it.
package protocol FieldResolver: Sendable {
    /// The value of a field; nil takes the parent's member of the same name.
    ///
    /// An object is a JSON object; where the field's type is an interface or a union, its member `__typename` names the
    /// object type. A thrown `ResolverError` becomes the error of the field; of other errors no detail is told.
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

/// A field that is to be resolved.
package struct FieldCall: Sendable {
    /// The object that has the field.
    package let parent: JSONValue
    /// The name of the object's type.
    package let type: String
    /// The name of the field.
    package let field: String
    /// The name of the member in the answer: the alias, where there is one.
    package let responseName: String
    /// The arguments in the order of the schema; those that are not given and have no default are left out.
    package let arguments: JSONValue
    /// Counts what is looked at for the whole operation.
    package let work: ResolverWork
}

/// Why a field has no value, for the caller to read.
package struct ResolverError: Error, Sendable {
    package let message: String
    package let extensions: JSONValue?

    package init(_ message: String, extensions: JSONValue? = nil) {
        self.message = message
        self.extensions = extensions
    }
}
