import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openTestAccounts } from '../testing/open-test-accounts.ts'
import { type Accounts, type CheckedNumber, createAccounts } from './accounts.ts'
import { createNameIndex } from './name-index.ts'

const phone = '15550783881'
const opened = {} as Awaited<ReturnType<typeof openTestAccounts>> & { accounts: Accounts }
beforeEach(async () => {
  Object.assign(opened, await openTestAccounts())
  onTestFinished(() => opened.close())
  opened.accounts = createAccounts({ database: opened.database })
})

async function register(username: string): Promise<string> {
  const email = `${username}@example.org`
  const outcome = await opened.accounts.register({ username, email, passwordHash: 'x' })
  if (outcome.kind !== 'done') throw new Error(`${username} was not registered`)
  return outcome.account.userId
}

const checked = (isProved: boolean): CheckedNumber => ({
  vouched: {},
  isProved,
  mayTakeNumber: false,
})
const say = (userId: string, phone_number: string | null) =>
  opened.accounts.changeProfile(userId, { phone_number })
const link = (userId: string, isProved: boolean, phone_number_id?: string) =>
  opened.accounts.linkWhatsApp(
    userId,
    { wa_id: phone, phone_number: phone, phone_number_id },
    checked(isProved),
  )
const whoSignsIn = async () => (await opened.accounts.findBySignInName(`+${phone}`))?.userId
const find = async (userId: string) => await opened.accounts.find(userId)

describe('a phone number', () => {
  it('that somebody only says is theirs goes to who proves it', async () => {
    const [eve, ann] = [await register('Eve'), await register('Ann')]
    await say(eve, phone)
    expect(await say(ann, phone)).toMatchObject({ kind: 'taken', field: 'phone' })
    expect(await link(ann, true, '106540352242922')).toMatchObject({ kind: 'done' })
    expect(await whoSignsIn()).toBe(ann)
    expect((await opened.accounts.findByPhone(phone))?.userId).toBe(ann)
    expect(await createNameIndex({ database: opened.database }).searchPhones(phone, 10)).toEqual([
      ann,
    ])
    expect(await find(eve)).not.toHaveProperty('phone_number')
    expect(await find(ann)).toHaveProperty('phoneProvedAt')
    expect(await say(eve, phone)).toMatchObject({ kind: 'taken', field: 'phone' })
  })

  it('goes with the WhatsApp link that was made of it, and leaves the rest of the account', async () => {
    const [eve, ann] = [await register('Eve'), await register('Ann')]
    await link(eve, false)
    expect(await link(ann, false)).toMatchObject({ kind: 'taken' })
    expect(await opened.accounts.provePhone(ann, phone)).toMatchObject({ kind: 'done' })
    const { wa_id, phone_number, username } = (await find(eve)) ?? {}
    expect([wa_id, phone_number, username]).toEqual([undefined, undefined, 'Eve'])
    expect(await link(ann, false)).toMatchObject({ kind: 'done' })
    expect(await find(ann)).toHaveProperty('phoneProvedAt')
  })

  it('that is proved goes to nobody else, proved or not', async () => {
    const [ann, ben] = [await register('Ann'), await register('Ben')]
    await opened.accounts.provePhone(ann, phone)
    expect(await say(ben, phone)).toMatchObject({ kind: 'taken' })
    expect(await link(ben, true)).toMatchObject({ kind: 'taken' })
    expect(await opened.accounts.provePhone(ben, phone)).toMatchObject({ kind: 'taken' })
    expect(await whoSignsIn()).toBe(ann)
  })

  it('is proved for itself alone', async () => {
    const ann = await register('Ann')
    await opened.accounts.provePhone(ann, phone)
    await opened.accounts.changeProfile(ann, { status: 'at sea' })
    expect(await find(ann)).toHaveProperty('phoneProvedAt')
    await say(ann, '15550783882')
    expect(await find(ann)).not.toHaveProperty('phoneProvedAt')
    await say(ann, phone)
    expect(await find(ann)).not.toHaveProperty('phoneProvedAt')
  })
})
