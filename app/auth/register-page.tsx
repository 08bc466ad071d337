import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router-dom'
import type { Registration } from '../../schema/api/auth.ts'
import { titlePage } from '../ui/product.ts'
import frame from './auth-frame.module.css'
import { AuthFrame } from './auth-frame.tsx'
import { RegistrationForm } from './registration-form.tsx'
import form from './styles/form.module.css'

interface RegisterPageProps {
  notice?: ReactNode
  /** Rejects with words for a person. */
  onRegister(given: Registration): Promise<void>
}

export function RegisterPage({ notice, onRegister }: RegisterPageProps) {
  return (
    <AuthFrame
      notice={notice}
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
        <RegistrationForm onRegister={onRegister} />
      </section>
    </AuthFrame>
  )
}
