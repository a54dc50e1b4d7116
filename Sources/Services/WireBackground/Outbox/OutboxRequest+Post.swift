import WireBase
import WireConfig
import WireHTTP
import WireWorkContract

extension OutboxRequest {
    static let usualLane = "default"

    /// The request that a program posts; without a lane it shares that of the signed-in user.
    init(_ posted: NewOutboxRequest, user: String?) {
        self.init(
            Method(posted.method),
            posted.path,
            lane: posted.lane ?? user ?? Self.usualLane,
            service: "app"
        )
        (id, authorization) = (posted.id, posted.authorization)
        (attempts, maxAge, replacesFormer) = (posted.attempts, posted.maxAge, posted.replacesFormer)
        if let name = posted.idHeader { idField = name.isEmpty ? nil : name }
        if let headers = posted.headers { fields = headers.fields }
        if let bytes = posted.body { body = bytes }
        if let text = posted.text { put(Array(text.utf8), "text/plain; charset=utf-8") }
        if let json = posted.json { put(json.bytes(), "application/json") }
        if let base64 = posted.base64 { put(base64.content, "application/octet-stream") }
    }

    private mutating func put(_ body: [UInt8], _ type: String) {
        self.body = body
        if fields["Content-Type"] == nil { fields["Content-Type"] = type }
    }
}
