import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { defaultAbout } from '../../schema/limits.ts'
import type { OwnUser } from '../../schema/user.ts'
import { PhoneNumber } from '../ui/text/phone-number.tsx'
import styles from './profile-page.module.css'

/** The record in view mode. */
export function ProfileFacts({ user, children }: { user: OwnUser; children?: ReactNode }) {
  return (
    <dl className={styles.facts}>
      <Fact name="Name" value={user.username} note={describeSignIn(user)} />
      <div>
        <dt>Email</dt>
        <dd>
          {user.email}
          <EmailNote />
        </dd>
      </div>
      <Fact name="About" value={user.status || defaultAbout} />
      <Fact
        name="Phone number"
        value={user.phone_number ? <PhoneNumber digits={user.phone_number} /> : 'Not set'}
        note={describePhone(user)}
      />
      {children}
    </dl>
  )
}

function describePhone({ phone_number, isPhoneProved }: OwnUser): string {
  const found = 'People who know it can find you by it.'
  if (!phone_number || isPhoneProved !== false) return found
  return `${found} It isn't verified: whoever proves it's theirs gets it.`
}

export function Fact({ name, value, note }: { name: string; value: ReactNode; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">
        {value}
        {note && <small>{note}</small>}
      </dd>
    </div>
  )
}

/** Fixed words (decision 61, section 2), and where it can be changed with the password. */
export function EmailNote({ id }: { id?: string }) {
  return (
    <small id={id}>
      <span>Email cannot be changed</span> here, only with your password:{' '}
      <Link className={styles.noteLink} to="/settings/account">
        Settings → Account
      </Link>
    </small>
  )
}

/** What a person signs in with, earlier names included. */
export function describeSignIn(user: Pick<OwnUser, 'phone_number' | 'formerNames'>): string {
  const ways = `Sign in with this name, your email${user.phone_number ? ' or your phone number' : ''}.`
  const words = user.phone_number ? ways : ways.replace(', your', ' or your')
  const [latest, ...others] = user.formerNames ?? []
  if (latest === undefined) return words
  const names = [latest, ...others].map((name) => `“${name}”`)
  return others.length > 0
    ? `${words} Your earlier names ${names.join(', ')} also work until someone else registers them.`
    : `${words} Your earlier name ${names[0]} also works until someone else registers it.`
}
