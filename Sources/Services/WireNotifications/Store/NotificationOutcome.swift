import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// What became of a notification, as it is remembered for as long as the same one may come again.
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
    /// Why it was not handled at all.
    var reason: String?
    /// The digest of what it says; nil where nothing was taken by its id.
    var content: String?

    init(_ envelope: NotificationEnvelope, _ push: ReceivedPush?, _ progress: HandlingProgress) {
        (received, way) = (envelope.received, envelope.way)
        (registrar, isSilent) = (push?.registrar, push?.isSilent ?? true)
        title = push?.title.map { $0.shown(upTo: 200) }
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

    /// Says what is known of one that is done.
    func tell(_ detail: inout NotificationDetail) {
        (detail.received, detail.way, detail.registrar) = (received, way, registrar)
        (detail.isSilent, detail.title, detail.result) = (isSilent, title, result)
        (detail.handlers, detail.isShown) = (records, isShown)
        (detail.suppression, detail.reason) = (suppression, reason)
    }
}

extension NotificationOutcome {
    static let form = JSONForm<Self>("NotificationOutcome", "What became of a notification.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        received = try members.required("received", \.received, "When it came.", .moment)
        way = try members.value("way", \.way, "By which way it came.", or: "")
        registrar = try members.optional("registrar", \.registrar, "Whose it is.")
        isSilent = try members.value("silent", \.isSilent, "Whether it is for the program alone.", or: true)
        title = try members.optional("title", \.title, "Its title.")
        result = try members.value("result", \.result, "What all handlers came to.", or: .noData)
        records = try members.readable("handlers", \.records, "What each came to.")
        isShown = try members.value("shown", \.isShown, "Whether it was shown.", or: false)
        suppression = try members.optional("suppressed", \.suppression, "Why it was not.")
        reason = try members.optional("reason", \.reason, "Why it was not handled at all.")
        content = try members.optional("content", \.content, "The digest of what it says.")
    }
}

/// What all handlers of a notification come to together.
struct ResultFold: Sendable {
    let records: [HandlerRecord]

    /// Any that failed makes it failed, else any that found something new makes it new, else there was nothing.
    var result: HandlerRecord.Result {
        if records.contains(where: { $0.result == .failed }) { return .failed }
        return records.contains { $0.result == .newData } ? .newData : .noData
    }
}
