/// The numbers Altcraft's SDKs tell events by: those for iOS and those for Android, which do not agree.
package struct AltcraftNumbers: Sendable, Equatable {
    package let ios: Int?
    package let android: Int?

    /// How something ended.
    package enum Outcome: Sendable {
        case done
        /// It is final.
        case failed
        case triedAgain
    }

    package init(ios: Int?, android: Int?) { (self.ios, self.android) = (ios, android) }

    /// The number of an errand's end; nil where neither SDK has one.
    package init?(_ errand: PushErrand.Kind, _ outcome: Outcome) {
        guard let last = Self.lastDigits(errand) else { return nil }
        let hundreds =
            switch outcome {
            case .done: 230
            case .failed: 430
            case .triedAgain: 530
            }
        // For iOS a refused unsuspend and a refused status are never tried again.
        let isFinal = outcome == .triedAgain && (last.ios == 2 || last.ios == 3)
        self.init(ios: isFinal ? nil : last.ios.map { hundreds + $0 }, android: last.android.map { hundreds + $0 })
    }

    private static func lastDigits(_ errand: PushErrand.Kind) -> (ios: Int?, android: Int?)? {
        switch errand {
        case .register: (0, 0)
        case .suspend: (0, 1)
        case .unregister: (0, 2)
        case .update: (1, 3)
        case .unsuspend: (2, 4)
        case .status: (3, 5)
        case .delivery, .open: (4, 6)
        case .mobileEvent: (5, 7)
        case .profile: (nil, 8)
        case .dismiss: nil
        }
    }

    package static let providerSet = AltcraftNumbers(ios: 201, android: 201)
    package static let received = AltcraftNumbers(ios: 203, android: 203)
    package static let cleared = AltcraftNumbers(ios: 205, android: 205)
    package static let noToken = AltcraftNumbers(ios: 502, android: 502)
    package static let noUserTag = AltcraftNumbers(ios: 503, android: 503)
    package static let noPermission = AltcraftNumbers(ios: 504, android: 504)
}
