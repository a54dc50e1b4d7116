import WireBase
package import WireConfig

extension DeviceSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        if register == .never {
            checkThatNothingIsSent(&checks)
        } else {
            checkServer(&checks)
        }
        checkTags(&checks)
    }

    private func checkServer(_ checks: inout Checks) {
        if authenticated {
            checks.need(
                Provision(.accessTokens),
                .deviceNeedsTokens,
                at: $authenticated,
                "device is saved with a token, and no section gives tokens",
                help: "add an 'auth' section, or write 'authenticated: false' or 'register: never'"
            )
        }
        let environment = checks.environment
        guard $url.state == .absent, environment.backend == .remote, environment.baseURL == nil,
            environment.baseURLPlace.state != .uncertain
        else { return }
        checks.report(
            .noBaseURL,
            at: $url,
            "device.url is \(Self.usualURL.text.quoted) unless written, and the environment has no base URL",
            help: "write 'baseUrl: https://…' in the environment, or 'register: never' for a device no server knows"
        )
    }

    private func checkThatNothingIsSent(_ checks: inout Checks) {
        let unused = [("url", $url), ("activityUrl", $activityURL), ("authenticated", $authenticated)]
        for (name, place) in unused where place.isWritten {
            checks.report(
                .unusedDeviceKey,
                at: place,
                "device.\(name) has no use with register 'never'",
                related: ($register, "because of this")
            )
        }
    }

    /// Tags are told apart by name alone, so one of the file would replace one that is found out.
    private func checkTags(_ checks: inout Checks) {
        guard systemTags else { return }
        for item in tags.items where item.name == "apns" {
            checks.report(
                .systemTag,
                at: item.place,
                "device.tags.\(item.name) is the name of a system tag",
                help: "choose another name, or write 'systemTags: false'",
                related: ($systemTags, "system tags are added")
            )
        }
    }
}
