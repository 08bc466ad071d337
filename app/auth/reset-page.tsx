import { useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { limits } from '../../schema/limits.ts'
import { Button } from '../ui/buttons/button.tsx'
import { titlePage } from '../ui/product.ts'
import { ErrorBox, PasswordField } from './auth-fields.tsx'
import frame from './auth-frame.module.css'
import { AuthFrame } from './auth-frame.tsx'
import form from './styles/form.module.css'
import { type Problem, useSubmit } from './use-submit.ts'

const empty = { password: '', confirmation: '' }

type Field = keyof typeof empty

interface ResetPageProps {
  /** Does the server take sealed messages? Else the page does not speak of encryption. */
  isEncrypted: boolean
  /** Resolves with whose password it is. Rejects with words for a person. */
  onReset(given: { token: string; password: string }): Promise<{ username: string }>
}

/** A new password, by the link that whoever runs the server gave. */
export function ResetPage({ isEncrypted, onReset }: ResetPageProps) {
  // Behind the sign #, so that it is sent to no server and stands in no log.
  const token = useLocation().hash.slice(1)
  const [draft, setDraft] = useState(empty)
  const [username, setUsername] = useState<string>()
  const { isBusy, error, problemOf, onSubmit, clearProblems } = useSubmit<Field>({
    fallback: "Couldn't change the password",
    check: () => checkPasswords(draft),
    async work() {
      setUsername((await onReset({ token, password: draft.password })).username)
    },
  })

  const bind = (field: Field) => ({
    name: field,
    value: draft[field],
    required: true,
    autoComplete: 'new-password',
    problem: problemOf(field),
    onChange: (event: { target: { value: string } }) => {
      setDraft({ ...draft, [field]: event.target.value })
      clearProblems()
    },
  })

  return (
    <AuthFrame
      isEncrypted={isEncrypted}
      footer={
        <p>
          <Link className={form.link} to="/login">
            Sign in
          </Link>
        </p>
      }
    >
      <title>{titlePage('New password')}</title>
      <section className={`${frame.card} ${frame.narrow}`}>
        {username !== undefined ? (
          <div className={form.form}>
            <h1 className={form.heading}>Password changed</h1>
            <p role="status">
              {`Sign in as ${username} with your new password. Every device was signed out.`}
            </p>
          </div>
        ) : (
          <form className={form.form} noValidate onSubmit={onSubmit}>
            <h1 className={form.heading}>Choose a new password</h1>
            <ErrorBox text={token ? error : 'This link is not whole. Open it again, all of it.'} />
            <PasswordField {...bind('password')} label="New password" />
            <PasswordField {...bind('confirmation')} label="Confirm password" />
            <Button type="submit" isBusy={isBusy} disabled={!token}>
              {isBusy ? 'Changing…' : 'Change password'}
            </Button>
          </form>
        )}
      </section>
    </AuthFrame>
  )
}

function checkPasswords({ password, confirmation }: typeof empty): Problem<Field>[] {
  const { minLength } = limits.password
  if (password.length < minLength) {
    return [{ field: 'password', words: `Password must be at least ${minLength} characters` }]
  }
  return password === confirmation
    ? []
    : [{ field: 'confirmation', words: 'Passwords do not match' }]
}
