import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { top } from './project.mjs'

interface Package {
  version?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const { packages } = JSON.parse(readFileSync(`${top}package-lock.json`, 'utf8')) as {
  packages: Record<string, Package>
}

// `npm ci` refuses a lock file created beside one platform's node_modules, because it lacks the
// packages of other platforms.
test('the lock file names every package of every platform, so that npm ci takes it', () => {
  const missing = Object.entries(packages).flatMap(
    ([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !findPackage(path, name))
        .map((name) => `${name}, which ${path || 'package.json'} needs`),
  )
  expect(missing).toEqual([])
})

/** The package that a file in `path` resolves this name to: in the nearest node_modules upwards. */
function findPackage(path: string, name: string): Package | undefined {
  const found = packages[`${path && `${path}/`}node_modules/${name}`]
  if (found || path === '') return found
  return findPackage(path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0)), name)
}
