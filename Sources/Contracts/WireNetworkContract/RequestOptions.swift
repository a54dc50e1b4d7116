package import WireConfig
package import WireHTTP
import WireService

/// How a request of an app is sent, where that is not as the file says: the header fields that are for corewire.
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
        "How a request is sent, where that is not as the file says."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        token = try members.header(
            "Corewire-Token",
            \.token,
            "Whose token goes along; by the file's auth.mode where absent.",
            .schema(.words(TokenMode.allCases.map(\.rawValue) + [TokenChoice.none.rawValue]))
        )
        retries = try members.header(
            "Corewire-Retries",
            \.retries,
            "How often it is repeated where that is safe; as the file says where absent.",
            .in(0...10)
        )
        timeout = try members.header(
            "Corewire-Timeout",
            \.timeout,
            "How long one attempt may take, such as 5s; as the file says where absent.",
            .in(.milliseconds(100) ... .seconds(3_600))
        )
        offlinePolicy = try members.header(
            "Corewire-Offline-Policy",
            \.offlinePolicy,
            "What stored answers are for; as the file says where absent."
        )
        idempotencyKey = try members.header(
            "Idempotency-Key",
            \.idempotencyKey,
            "By it the server knows a repetition; passed on, and allows repeating."
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
