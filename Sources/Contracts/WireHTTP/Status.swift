/// How a request ended (RFC 9110, section 15).
package struct Status: Sendable, Hashable {
    package let code: Int

    package init(_ code: Int) {
        self.code = code
    }

    package static let ok = Status(200)
    package static let created = Status(201)
    package static let accepted = Status(202)
    package static let noContent = Status(204)
    package static let notModified = Status(304)
    package static let badRequest = Status(400)
    package static let unauthorized = Status(401)
    package static let forbidden = Status(403)
    package static let notFound = Status(404)
    package static let methodNotAllowed = Status(405)
    package static let notAcceptable = Status(406)
    package static let requestTimeout = Status(408)
    package static let conflict = Status(409)
    package static let preconditionFailed = Status(412)
    package static let contentTooLarge = Status(413)
    package static let uriTooLong = Status(414)
    package static let unsupportedMediaType = Status(415)
    package static let unprocessableContent = Status(422)
    package static let preconditionRequired = Status(428)
    package static let tooManyRequests = Status(429)
    package static let headerTooLarge = Status(431)
    package static let internalError = Status(500)
    package static let unavailable = Status(503)
    package static let insufficientStorage = Status(507)
}
