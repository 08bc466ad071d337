import { buildIfNeeded } from './build.mjs'
import { installIfNeeded, top } from './project.mjs'

await installIfNeeded()
await buildIfNeeded()
process.env.NODE_ENV ??= 'production'
// In this process, so that signals reach the server directly.
await import(`${top}dist/server/main.js`)
