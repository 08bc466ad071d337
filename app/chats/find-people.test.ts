import { expect, test } from 'vitest'
import { publicUser } from '../../schema/user.ts'
import { findPeople } from './find-people.ts'

const id = (number: number) => `00000000-0000-7000-8000-00000000000${number}`
const person = (number: number, given: object) =>
  publicUser.parse({
    _id: id(number),
    username: `person ${number}`,
    status: '',
    profilePicture: null,
    isOnline: false,
    whatsapp_connected: false,
    lastSeen: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...given,
  })
const people = [
  person(1, { username: 'Søren Müller' }),
  person(2, { whatsapp_name: 'Zoë' }),
  person(3, { phone_number: '491701234567' }),
]
const find = (query: string) => findPeople(people, query).map(({ _id }) => _id)

test('finds people by name without accents or case, by their name on WhatsApp, and by number', () => {
  expect(find('SOREN mu')).toEqual([id(1)])
  expect(find('zoe')).toEqual([id(2)])
  expect(find('0123')).toEqual([id(3)])
  expect(find('nobody')).toEqual([])
})

test("'WhatsApp' finds every customer", () => {
  const customer = person(4, { isWhatsAppContact: true })
  expect(findPeople([...people, customer], 'whatsapp')).toEqual([customer])
})
