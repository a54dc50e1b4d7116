/// What the push servers keep.
typealias PushRecords = BackendRecords<PushShelf>

enum PushShelf: String, RecordShelf {
    /// The application's id and master secret, and the numbers of the queue.
    case account
    /// The queue of what devices have not been told.
    case queue
    /// UnifiedPush: installations by variant and token, and the messages sent.
    case installations, messages
    /// UnifiedPush: what administrators have made.
    case applications, variants
    /// Altcraft: profiles, which of them know a token, requests answered, messages sent, events.
    case profiles, subscribers, requests, mailings, events
    /// Health Cloud: registrations by registrar and token, and the messages sent.
    case registrations, notes
    /// HALO: schedules, and what became of them on devices.
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
