import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import type { Login } from '../../schema/api/auth.ts'
import { Button } from '../ui/buttons/button.tsx'
import { CheckBox } from './check-box.tsx'
import { ErrorBox } from './error-box.tsx'
import { keepInvite } from './keep-invite.ts'
import { PasswordField } from './password-field.tsx'
import styles from './styles/form.module.css'
import { TextField } from './text-field.tsx'
import { useSubmit } from './use-submit.ts'

interface SignInFormProps {
  /** False where the person did not ask for the form: a phone's keyboard would cover the page. */
  takesFocus: boolean
  keepSignedIn: boolean
  onKeepSignedIn(isKept: boolean): void
  onSignIn(given: Login): Promise<void>
  onBack(): void
}

export function SignInForm(props: SignInFormProps) {
  const { takesFocus, keepSignedIn, onKeepSignedIn, onSignIn, onBack } = props
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const { isBusy, error, submit, clearError } = useSubmit('Login failed')
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takesFocus) first.current?.focus()
  }, [takesFocus])

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void submit(() => onSignIn({ username: username.trim(), password, keepSignedIn }))
  }

  return (
    <form className={styles.form} onSubmit={onSubmit}>
      <h1 className={styles.heading}>Sign in</h1>
      <ErrorBox text={error} />
      <TextField
        label="Phone number or Username"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        ref={first}
        value={username}
        onChange={(event) => {
          setUsername(event.target.value)
          clearError()
        }}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => {
          setPassword(event.target.value)
          clearError()
        }}
      />
      <CheckBox label="Keep me signed in" isChecked={keepSignedIn} onChange={onKeepSignedIn} />
      <Button type="submit" isBusy={isBusy}>
        {isBusy ? 'Signing in...' : 'Sign in'}
      </Button>
      <div className={styles.links}>
        <button type="button" className={styles.link} onClick={onBack}>
          Back to QR code
        </button>
        <Link className={styles.link} to="/register" state={keepInvite(useLocation().state)}>
          Create account
        </Link>
      </div>
    </form>
  )
}
