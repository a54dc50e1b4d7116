import Synchronization
import WireConfig
package import WireService

/// Somebody who may change the device before servers are told of it, and hears when they have been (HALO's delegate and
/// device add-ons).
package protocol DeviceHook: Sendable {
    /// At every start, once the device is known and the facts of this machine are in it.
    func willSetUp(_ device: KnownDevice) async throws -> KnownDevice
    /// Before it is saved, every time.
    func willRegister(_ device: KnownDevice) async throws -> KnownDevice
    /// Once it is saved.
    func didRegister(_ device: KnownDevice) async
}

extension DeviceHook {
    package func willSetUp(_ device: KnownDevice) async throws -> KnownDevice { device }
    package func willRegister(_ device: KnownDevice) async throws -> KnownDevice { device }
    package func didRegister(_ device: KnownDevice) async {}
}

/// Everybody who may change the device, in the order in which they came; outlives generations.
package final class DeviceHooks: Sendable {
    private let state = Mutex<(last: Int, hooks: [(ticket: Int, name: String, hook: any DeviceHook)])>((0, []))

    package init() {}

    /// One of the same name is replaced, and its place kept; the answer takes it away again.
    package func add(_ name: String, _ hook: any DeviceHook) -> Int {
        state.withLock { state in
            state.last += 1
            if let index = state.hooks.firstIndex(where: { $0.name == name }) {
                state.hooks[index] = (state.last, name, hook)
            } else {
                state.hooks.append((state.last, name, hook))
            }
            return state.last
        }
    }

    package func remove(_ ticket: Int) {
        state.withLock { state in state.hooks.removeAll { $0.ticket == ticket } }
    }

    package var all: [(name: String, hook: any DeviceHook)] {
        state.withLock { state in state.hooks.map { ($0.name, $0.hook) } }
    }
}

extension Ability where Value == DeviceHooks {
    package static var deviceHooks: Ability<DeviceHooks> { Ability(Provision(.runner, "device hooks")) }
}
