import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { describeError } from '../../schema/api/api-error.ts'
import { registration, type ServerDescription } from '../../schema/api/auth.ts'
import { limits } from '../../schema/limits.ts'
import type { TypedRegistration } from '../sync/keys/account-access.ts'
import { Button } from '../ui/buttons/button.tsx'
import { titlePage } from '../ui/product.ts'
import { ErrorBox, PasswordField, TextField } from './auth-fields.tsx'
import frame from './auth-frame.module.css'
import { AuthFrame } from './auth-frame.tsx'
import { readInvitation } from './invitation.ts'
import styles from './styles/form.module.css'
import form from './styles/form.module.css'
import { type Problem, useSubmit } from './use-submit.ts'

const fields: readonly RegistrationField[] = ['username', 'email', 'password', 'confirmation']

const missing: Record<RegistrationField, string> = {
  username: 'Choose a username',
  email: 'Enter your email address',
  password: 'Choose a password',
  confirmation: 'Enter the password again',
}

const empty: RegistrationDraft = { username: '', email: '', password: '', confirmation: '' }

interface RegisterPageProps {
  notice?: ReactNode
  /** Does the server take sealed messages? Else the page does not speak of encryption. */
  isEncrypted: boolean
  /** Who may create an account; undefined while the server has not said it. */
  admits: ServerDescription['registration'] | undefined
  /** Rejects with words for a person. */
  onRegister(given: TypedRegistration): Promise<void>
}

export function RegisterPage({ notice, isEncrypted, admits, onRegister }: RegisterPageProps) {
  return (
    <AuthFrame
      notice={notice}
      isEncrypted={isEncrypted}
      footer={
        <p>
          Already have an account?{' '}
          <Link className={form.link} to="/login" state={useLocation().state}>
            Sign in
          </Link>
        </p>
      }
    >
      <title>{titlePage('Create account')}</title>
      <section className={`${frame.card} ${frame.narrow}`}>
        {admits === 'closed' ? (
          <div className={form.form}>
            <h1 className={form.heading}>No new accounts</h1>
            <p>{describeError('registration_closed').error}</p>
          </div>
        ) : (
          <RegistrationForm isInvited={admits === 'invite'} onRegister={onRegister} />
        )}
      </section>
    </AuthFrame>
  )
}

function RegistrationForm(props: {
  isInvited: boolean
  onRegister(given: TypedRegistration): Promise<void>
}) {
  const { isInvited, onRegister } = props
  const given = readInvitation(useLocation())
  const [draft, setDraft] = useState(empty)
  const [invitation, setInvitation] = useState('')
  const { isBusy, error, problemOf, onSubmit, clearProblems } = useSubmit<RegistrationField>({
    fallback: 'Registration failed',
    check: () => checkRegistration(draft),
    work: () => {
      const { username, email, password } = draft
      const code = given || invitation.trim()
      return onRegister({ username, email, password, ...(code && { invitation: code }) })
    },
    fields: { username_taken: 'username', email_taken: 'email' },
  })

  const bind = (field: RegistrationField) => ({
    name: field,
    value: draft[field],
    required: true,
    problem: problemOf(field),
    onChange: (event: { target: { value: string } }) => {
      setDraft({ ...draft, [field]: event.target.value })
      clearProblems()
    },
  })

  return (
    <form className={styles.form} noValidate onSubmit={onSubmit}>
      <h1 className={styles.heading}>Create your account</h1>
      <ErrorBox text={error} />
      {isInvited && !given && (
        <>
          <p>{describeError('invitation_needed').error}</p>
          <TextField
            name="invitation"
            value={invitation}
            onChange={(event) => {
              setInvitation(event.target.value)
              clearProblems()
            }}
            label="Invitation code"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </>
      )}
      <TextField
        {...bind('username')}
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={limits.username.maxLength}
      />
      <TextField
        {...bind('email')}
        label="Email Address"
        type="email"
        autoComplete="email"
        maxLength={limits.emailMaxLength}
      />
      <PasswordField
        {...bind('password')}
        label="Password"
        placeholder={`Create a password (min. ${limits.password.minLength} characters)`}
        autoComplete="new-password"
      />
      <PasswordField
        {...bind('confirmation')}
        label="Confirm Password"
        placeholder="Confirm your password"
        autoComplete="new-password"
      />
      <Button type="submit" isBusy={isBusy}>
        {isBusy ? 'Creating account...' : 'Create account'}
      </Button>
    </form>
  )
}

interface RegistrationDraft {
  username: string
  email: string
  password: string
  confirmation: string
}

type RegistrationField = keyof RegistrationDraft

/**
 * What is wrong, each beside its field: what is missing; then the checks in the order of decision 61, section 5, of
 * which only the first shows; then what the server would refuse.
 */
export function checkRegistration(draft: RegistrationDraft): Problem<RegistrationField>[] {
  const empty = fields.filter((field) => draft[field].trim() === '')
  if (empty.length > 0) return empty.map((field) => ({ field, words: missing[field] }))
  if (draft.password !== draft.confirmation) {
    return [{ field: 'confirmation', words: 'Passwords do not match' }]
  }
  const { minLength } = limits.password
  if (draft.password.length < minLength) {
    return [{ field: 'password', words: `Password must be at least ${minLength} characters` }]
  }
  const parsed = registration.safeParse(draft)
  return (parsed.error?.issues ?? []).flatMap(({ path, message }) => {
    const field = fields.find((name) => name === path[0])
    return field ? [{ field, words: message }] : []
  })
}
