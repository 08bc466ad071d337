import { readSettings } from '../../../../../sync-server/config.ts'
import { createApp } from '../../../../../sync-server/create-app.ts'
import { installStoryClock } from './install-story-clock.ts'

/** The server in its own process: messages set its clock, so that a story of days takes seconds. */
const clock = installStoryClock(0)
const app = await createApp(readSettings(), {
  appDir: process.argv[2],
  presenceGraceMs: 0,
})
process.on('message', ({ aheadMs }: { aheadMs: number }) => {
  clock.set(aheadMs)
  process.send?.({ aheadMs })
})
process.once('disconnect', () => void app.close().then(() => process.exit(0)))
process.send?.({ port: app.port })
