import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// The result of a notification, stored for as long as it may be repeated.
struct NotificationOutcome: JSONRecord {
    var received: Int64
    var way: String
    var registrar: String?
    var isSilent: Bool
    var title: String?
    var result: HandlerRecord.Result
    var records: [HandlerRecord]
    var isShown: Bool
    var suppression: String?
    /// Why it was not handled.
    var reason: String?
    /// The digest of its content; nil where its id was never accepted.
    var content: String?
    /// How long the transport may repeat it; not stored.
    var repeats: Duration?

    init(_ envelope: NotificationEnvelope, _ push: ReceivedPush?, _ progress: HandlingProgress) {
        (received, way) = (envelope.received, envelope.way)
        (registrar, isSilent) = (push?.registrar, push?.isSilent ?? true)
        title = push?.title.map { $0.shown(upTo: 200) }
        repeats = envelope.repeats
        records = progress.records
        result = ResultFold(records: progress.records).result
        (isShown, suppression) = (progress.isPresented && progress.suppression == nil, progress.suppression)
        if push?.isSilent ?? true { isShown = false }
    }

    var note: [UInt8] { bytes }

    init?(_ note: [UInt8]) {
        guard let outcome = try? Self(parsing: note, named: "outcome", toleratesUnknown: true) else { return nil }
        self = outcome
    }

    /// Adds the result to the details of a notification.
    func fill(_ detail: inout NotificationDetail) {
        (detail.received, detail.way, detail.registrar) = (received, way, registrar)
        (detail.isSilent, detail.title, detail.result) = (isSilent, title, result)
        (detail.handlers, detail.isShown) = (records, isShown)
        (detail.suppression, detail.reason) = (suppression, reason)
    }
}

extension NotificationOutcome {
    static let form = JSONForm<Self>("NotificationOutcome", "The result of a notification.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        received = try members.required("received", \.received, "The time of arrival.", .moment)
        way = try members.value("way", \.way, "The source.", or: "")
        registrar = try members.optional("registrar", \.registrar, "The registrar.")
        isSilent = try members.value("silent", \.isSilent, "Whether it is silent.", or: true)
        title = try members.optional("title", \.title, "The title.")
        result = try members.value("result", \.result, "The result of all handlers together.", or: .noData)
        records = try members.readable("handlers", \.records, "The results of handlers.")
        isShown = try members.value("shown", \.isShown, "Whether it was shown.", or: false)
        suppression = try members.optional("suppressed", \.suppression, "Why it was not shown.")
        reason = try members.optional("reason", \.reason, "Why it was not handled.")
        content = try members.optional("content", \.content, "The digest of its content.")
    }
}

/// Combines the results of a notification's handlers.
struct ResultFold: Sendable {
    let records: [HandlerRecord]

    /// A failure of any handler makes it failed; otherwise something new of any makes it new.
    var result: HandlerRecord.Result {
        if records.contains(where: { $0.result == .failed }) { return .failed }
        return records.contains { $0.result == .newData } ? .newData : .noData
    }
}
