import Synchronization
package import WireBase
import WireConfig
package import WireNotificationContract
package import WireService

/// The one place at which services tell add-ons what happens, and ask those who may decide it; outlives generations.
///
/// Where nobody listens, a hook is one load and one branch. Telling never waits; asking waits for as long as the file lets
/// an add-on think, and everything stays as it is where no answer comes.
package final class AddonHooks: Sendable {
    private let heard = Atomic<UInt32>(0)
    private let roll = Mutex<(any AddonRoll)?>(nil)
    /// Signalled when the points that are heard, or the add-ons that hear them, may have changed.
    package let changes = Signal()

    package init() {}

    /// Whether anybody listens there.
    package func isHeard(_ point: AddonPoint) -> Bool { heard.load(ordering: .relaxed) & point.bit != 0 }

    /// Tells everybody who listens; what is told is only made where somebody does.
    package func tell(_ point: AddonPoint, _ moment: @autoclosure () -> AddonMoment) {
        guard isHeard(point) else { return }
        present?.tell(moment())
    }

    /// Why a request must not be made; nil where it may.
    package func refusal(of request: AddonRequest) async -> AddonRefusal? { await present?.refusal(of: request) }

    /// What is to become of a notification.
    package func verdict(on notification: HandedNotification) async -> (verdict: AddonVerdict, by: String?) {
        await present?.verdict(on: notification) ?? (AddonVerdict(), nil)
    }

    /// Has somebody signed in by whoever can; returns with the first answer, and tells the others that it came.
    ///
    /// Where it goes on without an answer it waits for those who come, until its task is cancelled.
    package func signIn(_ wish: AddonSignIn) async -> AddonSignInEnd {
        while true {
            let before = changes.count
            let end = await present?.signIn(wish) ?? .nobody
            guard case .nobody = end, wish.isOpen, !Task.isCancelled else { return end }
            await changes.wait(after: before)
        }
    }

    private var present: (any AddonRoll)? { roll.withLock { $0 } }

    // MARK: For whoever runs the add-ons

    /// From now on these points are heard, by the add-ons of this roll.
    package func hear(_ points: AddonPoints, by new: any AddonRoll) {
        roll.withLock { roll in
            roll = new
            heard.store(points.bits, ordering: .relaxed)
        }
        changes.signal()
    }

    /// Nobody of this roll is there any more.
    package func leave(_ former: any AddonRoll) {
        roll.withLock { roll in
            guard roll === former else { return }
            roll = nil
            heard.store(0, ordering: .relaxed)
        }
        changes.signal()
    }
}

/// The add-ons there are, for ``AddonHooks``.
package protocol AddonRoll: AnyObject, Sendable {
    /// Returns at once.
    func tell(_ moment: AddonMoment)
    func refusal(of request: AddonRequest) async -> AddonRefusal?
    func verdict(on notification: HandedNotification) async -> (verdict: AddonVerdict, by: String?)
    /// Nobody is there as soon as this roll is no more.
    func signIn(_ wish: AddonSignIn) async -> AddonSignInEnd
}

/// An add-on does not let a request be made.
package struct AddonRefusal: Sendable {
    package let addon: String
    package let reason: String
    /// Where the file has the add-on.
    package let origin: ValueOrigin?

    package init(addon: String, reason: String, origin: ValueOrigin?) {
        (self.addon, self.reason, self.origin) = (addon, reason, origin)
    }
}

extension Ability where Value == AddonHooks {
    package static var addonHooks: Ability<AddonHooks> { Ability(Provision(.runner, "addon hooks")) }
}
