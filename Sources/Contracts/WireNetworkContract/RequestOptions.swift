package import WireConfig
package import WireHTTP
import WireService

/// Options of an app's request that override the file: header fields for corewire.
package struct RequestOptions: JSONRecord {
    package var token: TokenChoice?
    package var retries: Int?
    package var timeout: Duration?
    package var offlinePolicy: OfflinePolicy?
    package var idempotencyKey: String?

    package init() {}
}

extension RequestOptions {
    package static let form = JSONForm<Self>(
        "RequestOptions",
        "Options of a request that override the file."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        token = try members.header(
            "Corewire-Token",
            \.token,
            "The token to send; by default that of auth.mode.",
            .schema(.words(TokenMode.allCases.map(\.rawValue) + [TokenChoice.none.rawValue]))
        )
        retries = try members.header(
            "Corewire-Retries",
            \.retries,
            "The number of retries, where these are safe; by default that of the file.",
            .in(0...10)
        )
        timeout = try members.header(
            "Corewire-Timeout",
            \.timeout,
            "The timeout of one attempt, such as 5s; by default that of the file.",
            .in(.milliseconds(100) ... .seconds(3_600))
        )
        offlinePolicy = try members.header(
            "Corewire-Offline-Policy",
            \.offlinePolicy,
            "The offline policy; by default that of the file."
        )
        idempotencyKey = try members.header(
            "Idempotency-Key",
            \.idempotencyKey,
            "The key by which the server recognizes a retry; passed on, and enables retries."
        )
    }
}

extension ServerCall {
    package mutating func apply(_ options: RequestOptions) {
        authorization = Authorization(options.token, authenticated: true)
        (retries, timeout, offlinePolicy) = (options.retries, options.timeout, options.offlinePolicy)
        isRepeatable = options.idempotencyKey != nil
    }
}

extension TokenChoice: JSONWord, PlainCodable {
    package static var placeholder: Self { .none }
}

extension OfflinePolicy: JSONWord, PlainCodable {
    package static var placeholder: Self { .none }
}
