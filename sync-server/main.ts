import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readSettings, SettingsError } from './config.ts'
import { type App, createApp } from './create-app.ts'
import { NewerData } from './data-format/data-format.ts'
import { settingsExitCode } from './settings-exit-code.ts'
import { LoginRefused } from './storage/couch/login-refused.ts'
import { StorageUnavailable } from './storage/databases/storage-unavailable.ts'

/** The build puts the server beside the app; the sources lie one step higher. */
function findAppDir(): string | undefined {
  const places = ['../app/', '../dist/app/'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return places.find((place) => existsSync(`${place}index.html`) && existsSync(`${place}assets`))
}

function stopOnSignal(app: App) {
  const stop = () => {
    app.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

function fail(error: unknown) {
  const isNewer = error instanceof NewerData
  const isWorded = isNewer || error instanceof SettingsError || error instanceof StorageUnavailable
  const words = isWorded ? error.message : describe(error)
  process.stderr.write(`Petrel cannot run:\n${words}\n`)
  const isSetWrong = error instanceof SettingsError || error instanceof LoginRefused
  process.exit(isSetWrong || isNewer ? settingsExitCode : 1)
}

function describe(error: unknown): string {
  const { code, stack } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return 'The port is in use. Set PORT to another one.'
  return stack ?? String(error)
}

// Only this user may read the stored data.
process.umask(0o077)
try {
  stopOnSignal(await createApp(readSettings(), { appDir: findAppDir() }))
} catch (error) {
  fail(error)
}
