import Synchronization
package import WireBase
import WireConfig
package import WireNotificationContract
package import WireService

/// Delivers notices and questions of services to add-ons; outlives generations.
///
/// Without listeners a hook costs one load and one branch. Notices never wait; questions wait up to the timeout of the
/// add-on, and a missing reply changes nothing.
package final class AddonHooks: Sendable {
    private let heard = Atomic<UInt32>(0)
    private let directory = Mutex<(any AddonDirectory)?>(nil)
    /// Signalled when the hooked points or their add-ons may have changed.
    package let changes = ChangeSignal()

    package init() {}

    /// Whether any add-on listens at a point.
    package func isHeard(_ point: AddonPoint) -> Bool { heard.load(ordering: .relaxed) & point.bit != 0 }

    /// Notifies all listening add-ons; the notice is built only if there are any.
    package func notify(_ point: AddonPoint, _ moment: @autoclosure () -> AddonMoment) {
        guard isHeard(point) else { return }
        present?.notify(moment())
    }

    /// Why an add-on rejects a request; nil where it may be sent.
    package func refusal(of request: AddonRequest) async -> AddonRefusal? { await present?.refusal(of: request) }

    /// The decision of add-ons about a notification.
    package func verdict(on notification: HandedNotification) async -> (verdict: AddonVerdict, by: String?) {
        await present?.verdict(on: notification) ?? (AddonVerdict(), nil)
    }

    /// Asks all capable add-ons to sign in a user; returns the first answer and notifies the others.
    ///
    /// Where sign-in can also succeed otherwise, waits for add-ons that start later, until the task is cancelled.
    package func signIn(_ signInRequest: AddonSignIn) async -> AddonSignInEnd {
        while true {
            let before = changes.count
            let end = await present?.signIn(signInRequest) ?? .nobody
            guard case .nobody = end, signInRequest.isOpen, !Task.isCancelled else { return end }
            await changes.wait(after: before)
        }
    }

    private var present: (any AddonDirectory)? { directory.withLock { $0 } }

    // MARK: For the add-ons service

    /// Sets the hooked points and the add-ons that handle them.
    package func setDirectory(_ points: AddonPoints, by new: any AddonDirectory) {
        directory.withLock { directory in
            directory = new
            heard.store(points.bits, ordering: .relaxed)
        }
        changes.signal()
    }

    /// Removes the add-ons of a directory.
    package func leave(_ former: any AddonDirectory) {
        directory.withLock { directory in
            guard directory === former else { return }
            directory = nil
            heard.store(0, ordering: .relaxed)
        }
        changes.signal()
    }
}

/// The running add-ons, for ``AddonHooks``.
package protocol AddonDirectory: AnyObject, Sendable {
    /// Returns at once.
    func notify(_ moment: AddonMoment)
    func refusal(of request: AddonRequest) async -> AddonRefusal?
    func verdict(on notification: HandedNotification) async -> (verdict: AddonVerdict, by: String?)
    /// Returns `nobody` after the list of add-ons has closed.
    func signIn(_ signInRequest: AddonSignIn) async -> AddonSignInEnd
}

/// The rejection of a request by an add-on.
package struct AddonRefusal: Sendable {
    package let addon: String
    package let reason: String
    /// The declaration of the add-on in the services file.
    package let origin: ValueOrigin?

    package init(addon: String, reason: String, origin: ValueOrigin?) {
        (self.addon, self.reason, self.origin) = (addon, reason, origin)
    }
}

extension Ability where Value == AddonHooks {
    package static var addonHooks: Ability<AddonHooks> { Ability(Provision(.runner, "addon hooks")) }
}
