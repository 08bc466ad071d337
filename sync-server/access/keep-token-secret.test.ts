import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreUnusable } from '../storage/documents/storage-errors.ts'
import { keepTokenSecret } from './keep-token-secret.ts'

describe('token secret', () => {
  const place = { dir: '' }
  beforeEach(() => {
    place.dir = mkdtempSync(join(tmpdir(), 'petrel-secret-'))
  })
  afterEach(() => rmSync(place.dir, { recursive: true }))

  it('is made once, long, and for the owner only', () => {
    const secret = keepTokenSecret(place.dir)
    expect(secret.length).toBeGreaterThanOrEqual(64)
    expect(keepTokenSecret(place.dir)).toBe(secret)
    expect(statSync(join(place.dir, 'jwt-secret')).mode & 0o777).toBe(0o600)
  })

  it('is at its name only whole: what a kill left beside it counts for nothing', () => {
    writeFileSync(join(place.dir, 'jwt-secret.1.tmp'), 'half')
    const secret = keepTokenSecret(place.dir)
    expect(readFileSync(join(place.dir, 'jwt-secret'), 'utf8')).toBe(secret)
    expect(readdirSync(place.dir)).toEqual(['jwt-secret', 'jwt-secret.1.tmp'])
  })

  it('refuses a kept one that is too short to be safe', () => {
    writeFileSync(join(place.dir, 'jwt-secret'), 'short')
    expect(() => keepTokenSecret(place.dir)).toThrow(/at least 32 characters, and has 5/)
    expect(() => keepTokenSecret(place.dir)).toThrow(StoreUnusable)
  })
})
