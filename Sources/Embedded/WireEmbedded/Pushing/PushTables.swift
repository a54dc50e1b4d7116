/// The records of the push servers.
typealias PushRecords = BackendRecords<PushTables>

enum PushTables: String, RecordTable {
    /// The application's id and master secret, and the numbers of the queue.
    case account
    /// The queue of pushes for this device.
    case queue
    /// UnifiedPush: installations by variant and token, and sent messages.
    case installations, messages
    /// UnifiedPush: applications and variants of administrators.
    case applications, variants
    /// Altcraft: profiles, their push tokens, answered requests, sent messages, events.
    case profiles, subscribers, requests, mailings, events
    /// Health Cloud: registrations by registrar and token, and sent messages.
    case registrations, notes
    /// HALO: schedules, and their results on devices.
    case schedules, activity

    var path: String { "push/\(rawValue)" }

    var limit: Int {
        switch self {
        case .account: 16
        case .applications: 100
        case .queue: 100_000
        case .installations, .profiles, .registrations: 50_000
        case .subscribers: 100_000
        case .requests, .events, .activity: 10_000
        case .messages, .mailings, .notes, .schedules, .variants: 1_000
        }
    }

    var forgets: Bool {
        switch self {
        case .account, .applications, .variants, .installations, .profiles, .registrations, .subscribers: false
        default: true
        }
    }
}
