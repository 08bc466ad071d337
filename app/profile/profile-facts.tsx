import { Link } from 'react-router-dom'
import { defaultAbout } from '../../schema/limits.ts'
import type { OwnUser } from '../../schema/user.ts'
import { describeSignIn } from './describe-sign-in.ts'
import styles from './profile-page.module.css'

/** The record in view mode. */
export function ProfileFacts({ user, children }: { user: OwnUser; children?: React.ReactNode }) {
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
        value={user.phone_number ? `+${user.phone_number}` : 'Not set'}
        note="People who know it can find you by it."
      />
      {children}
    </dl>
  )
}

export function Fact({ name, value, note }: { name: string; value: string; note?: string }) {
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
