import { type FormEvent, useState } from 'react'
import type { Registration } from '../../schema/api/auth.ts'
import { limits } from '../../schema/limits.ts'
import { Button } from '../ui/buttons/button.tsx'
import { checkRegistration } from './check-registration.ts'
import { ErrorBox } from './error-box.tsx'
import { PasswordField } from './password-field.tsx'
import styles from './styles/form.module.css'
import { TextField } from './text-field.tsx'
import { useSubmit } from './use-submit.ts'

const empty = { username: '', email: '', password: '', confirmation: '' }

export function RegistrationForm({
  onRegister,
}: {
  onRegister(given: Registration): Promise<void>
}) {
  const [draft, setDraft] = useState(empty)
  const { isBusy, error, submit, fail, clearError } = useSubmit('Registration failed')

  const bind = (field: keyof typeof empty) => ({
    name: field,
    value: draft[field],
    required: true,
    onChange: (event: { target: { value: string } }) => {
      setDraft({ ...draft, [field]: event.target.value })
      clearError()
    },
  })

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const problem = checkRegistration(draft)
    if (problem) return fail(problem)
    const { username, email, password } = draft
    void submit(() => onRegister({ username, email, password }))
  }

  return (
    <form className={styles.form} onSubmit={onSubmit}>
      <h1 className={styles.heading}>Create your account</h1>
      <ErrorBox text={error} />
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
