import WireConfig
package import WireService

/// Add-ons that are code of the program around the runner, in the order in which they were registered.
package final class BroughtAddons: Sendable {
    package let all: [any AddonCode]

    package init(_ all: [any AddonCode] = []) { self.all = all }
}

/// An add-on that is code.
///
/// It is told and asked one thing after the other, in order; one that hangs is asked nothing more until it goes on.
package protocol AddonCode: Sendable {
    var name: String { get }
    /// Whether the runner fails to start without it.
    var isRequired: Bool { get }
    /// How long it may take to answer.
    var timeout: Duration { get }
    var listens: AddonPoints { get }
    /// The questions it answers.
    var answers: AddonPoints { get }
    func setUp() async throws
    /// Once all add-ons have been set up.
    func startUp() async throws
    func hear(_ moment: AddonMoment) async
    /// Nil, or a failure, leaves everything as it is.
    func reply(to question: AddonQuestion) async throws -> AddonReply?
}

extension Ability where Value == BroughtAddons {
    package static var broughtAddons: Ability<BroughtAddons> { Ability(Provision(.runner, "brought addons")) }
}
