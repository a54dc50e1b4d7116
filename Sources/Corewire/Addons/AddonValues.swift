import WireService

extension Corewire {
    /// What is to become of a notification.
    public enum NotificationDecision: Sendable, Hashable {
        /// It is handled as the file says.
        case handle
        /// It is handled, and shown like this.
        case show(PresentationOptions)
        /// Nothing is done with it, for this reason.
        case veto(String)
    }

    /// A request, as add-ons see it.
    public struct AddonRequest: Sendable, Hashable {
        /// Its method.
        public let method: String
        /// Where it goes, without the query.
        public let url: String
        /// The service that asks.
        public let service: String

        /// How it ended.
        public struct End: Sendable, Hashable {
            /// The status of the answer; nil where there is none.
            public let status: Int?
            /// Why there is none.
            public let failure: String?
            /// How often it was sent.
            public let attempts: Int
            /// How long all of it took.
            public let duration: Duration
        }

        init(_ request: WireService.AddonRequest) {
            (method, url, service) = (request.method, request.url, request.service)
        }
    }
}

extension Corewire.AddonRequest.End {
    init(_ end: WireService.AddonRequest.End) {
        (status, failure) = (end.status, end.reason)
        (attempts, duration) = (end.attempts, end.duration)
    }
}
