import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { openTestAccounts } from '../testing/open-test-accounts.ts'
import { type Accounts, createAccounts } from './accounts.ts'

const opened = {} as Awaited<ReturnType<typeof openTestAccounts>> & { accounts: Accounts }
const clock = { now: 0 }
beforeEach(async () => {
  Object.assign(opened, await openTestAccounts())
  onTestFinished(() => opened.close())
  clock.now = 1_700_000_000_000
  opened.accounts = createAccounts({ database: opened.database, now: () => clock.now })
})

const register = (username: string, email: string) =>
  opened.accounts.register({ username, email, passwordHash: 'x' })

async function registerAnd(username: string, email: string): Promise<string> {
  const outcome = await register(username, email)
  if (outcome.kind !== 'done') throw new Error(`${username} was not registered: ${outcome.kind}`)
  return outcome.account.userId
}

const taken = { kind: 'taken', field: 'username' }
const listHeld = async () =>
  await opened.database.range({ startkey: 'held:', endkey: 'held:\uffff' })

describe('the name of a deleted account', () => {
  it.each([
    ['unreported', false, limits.freedNameHeldMs],
    ['reported', true, limits.reportsKeptMs],
  ])('is given to no other email for its time: %s', async (_what, isReported, heldMs) => {
    const ann = await registerAnd('Ann', 'ann@example.org')
    await opened.accounts.remove(ann, { isReported })
    const ben = await registerAnd('Ben', 'ben@example.org')
    clock.now += heldMs - 1
    // Neither the name, nor in other letters, nor what looks like it, nor by a change of the profile.
    for (const name of ['Ann', 'aNN', 'Аnn'.normalize()]) {
      expect(await register(name, 'other@example.org')).toMatchObject({ kind: 'taken' })
    }
    expect(await opened.accounts.changeProfile(ben, { username: 'Ann' })).toMatchObject(taken)
    await opened.accounts.sweepHolds()
    expect(await listHeld()).not.toEqual([])
    clock.now += 1
    await opened.accounts.sweepHolds()
    expect(await listHeld()).toEqual([])
    await registerAnd('Ann', 'other@example.org')
  })

  it('is free after its time also where nobody has swept', async () => {
    await opened.accounts.remove(await registerAnd('Ann', 'ann@example.org'))
    clock.now += limits.freedNameHeldMs
    await registerAnd('Ann', 'other@example.org')
    expect(await listHeld()).toEqual([])
  })

  it('goes back to its own email at once, and nobody reads the email from what holds it', async () => {
    await opened.accounts.remove(await registerAnd('Ann', 'ann@example.org'))
    expect(JSON.stringify(await listHeld())).not.toContain('example')
    const again = await registerAnd('ann', 'ANN@example.org')
    expect(await listHeld()).toEqual([])
    await opened.accounts.remove(again)
    expect(await register('Ann', 'other@example.org')).toMatchObject(taken)
  })

  it('is free once the operator releases it', async () => {
    await opened.accounts.remove(await registerAnd('Ann', 'ann@example.org'), { isReported: true })
    expect(await opened.accounts.releaseName('ann')).toBe(true)
    expect(await opened.accounts.releaseName('ann')).toBe(false)
    await registerAnd('Ann', 'other@example.org')
  })
})
