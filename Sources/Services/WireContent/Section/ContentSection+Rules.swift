import WireBase
package import WireConfig
import WireContentContract
import WireService

extension ContentSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        if authenticated {
            checks.need(
                Provision(.accessTokens),
                .contentNeedsTokens,
                at: $authenticated,
                "content requires a token, but no section provides tokens",
                help: "add an 'auth' section, or write \(setting: "authenticated: false")"
            )
            checks.checkTokenServer(of: url, at: $url, "content", authenticated: $authenticated)
        }
        checkServer(&checks)
        checkModules(&checks)
        checkSegmentation(&checks)
    }

    private func checkServer(_ checks: inout Checks) {
        let environment = checks.environment
        guard $url.state == .absent, environment.backend == .remote, environment.isBackendKnown,
            environment.baseURL == nil, environment.baseURLPlace.state != .uncertain
        else { return }
        checks.report(
            .noBaseURL,
            at: $url,
            "content.url is \(Self.usualURL.text.quoted) by default, and the environment has no base URL",
            help: "write \(setting: "baseUrl: https://…") in the environment, or the whole URL under 'content.url'"
        )
    }

    private func checkModules(_ checks: inout Checks) {
        var first: [String: Named<ContentModule>.Item] = [:]
        for item in modules.items {
            let module = item.value
            if module.$name.isWritten, module.$id.isWritten {
                checks.report(
                    .twoModuleNames,
                    at: module.$id,
                    "content.modules.\(item.name) has both 'name' and 'id'; only one is allowed",
                    related: (module.$name, "the other one")
                )
            }
            guard module.$id.state != .uncertain, module.$name.state != .uncertain, module.$locale.state != .uncertain
            else { continue }
            let key =
                (module.id.map { "id \($0.text)" } ?? "name \(module.name ?? item.name)")
                + " in \((module.locale ?? locale)?.text ?? "all")"
            guard let earlier = first[key] else {
                first[key] = item
                continue
            }
            checks.report(
                .sameModule,
                at: item.place,
                "content.modules.\(item.name) is the same module as '\(earlier.name)'",
                related: (earlier.place, "the same here")
            )
        }
        if $syncEvery.isWritten, modules.items.isEmpty, $modules.state != .uncertain {
            checks.report(
                .unusedSync,
                at: $syncEvery,
                "content.syncEvery has no effect without 'modules'",
                help: "write \(setting: "modules: { news: { name: News } }")"
            )
        }
    }

    private func checkSegmentation(_ checks: inout Checks) {
        guard let segmentation, !segmentation.deviceTags, segmentation.$deviceTags.isWritten,
            segmentation.tags.items.isEmpty
        else { return }
        checks.report(
            .segmentationWithoutTags,
            at: segmentation.$tags.state == .absent ? segmentation.$deviceTags : segmentation.$tags,
            "content.segmentation has no tags",
            help: "write \(setting: "tags: { … }"), or remove \(setting: "deviceTags: false")"
        )
    }
}
